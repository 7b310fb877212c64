import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ExpenseDateMemory } from '../api-client/expenses/expense-date-field.js'
import { TtError } from '../lib/errors.js'
import { isBrokenLink } from '../lib/sqlite/broken-link.js'
import type { Sqlite, SqliteStatement } from '../lib/sqlite/connection.js'
import { openSqlite, shortLogPages } from '../lib/sqlite/open.js'
import { readSnapshot, type SavedSnapshot, type Snapshots } from './snapshots.js'
import { schemaVersion } from './state-schema.js'

/** The database of one profile on this machine. Its times are epoch milliseconds. */
export interface ClientState {
  /** Shared by the outbox, the history and the cache, so that a transaction can include all of them. */
  database: Sqlite
  /** Returns the snapshot with that name. */
  snapshot<Name extends keyof Snapshots>(name: Name): SavedSnapshot<Name> | undefined
  saveSnapshot<Name extends keyof Snapshots>(name: Name, value: Snapshots[Name], at: Date): void
  /** Runs `work` in a transaction, in the open one where there is one. */
  atomically<Result>(work: () => Result): Result
  /** Runs asynchronous work of this process in a transaction that keeps other processes from writing. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  /** Returns a number that changes when another connection, such as that of another process, has written the state. */
  version(): number
  close(): void
}

export interface StateOptions {
  /** `full` where only the outbox has a change until the service has it; see `openSqlite`. */
  durability: 'full' | 'normal'
  /** A file beside it that exists once the state had changes to send; undefined where none are sent. */
  deliveryLockPath?: string | undefined
}

/** Advice for a damaged database of the client state. */
export const stateContents =
  'It contains the changes that were not sent yet: keep a copy of it. Move its directory away to continue without them.'

/**
 * Bytes of the log that may remain beside the state of the local workspace, which has only the history of the last
 * commands: writing them back after each command would make it wait for the disk three more times.
 */
const remainingLocalLogBytes = 262_144

/** How long to wait for the transaction of another process, in milliseconds; only a stalled machine takes this long. */
const busyTimeoutMs = 30_000

/**
 * Opens the client state in the SQLite file at `path`, after migrating its schema and making a copy of the earlier
 * version beside it.
 *
 * Throws TtError `failure` when a newer `tt` has written it, or when the file cannot be used.
 */
export async function openClientState(path: string, options: StateOptions): Promise<ClientState> {
  checkStateExists(path, options.deliveryLockPath)
  const remainingLogBytes = options.durability === 'normal' ? remainingLocalLogBytes : 0
  const database = await openSqlite(path, {
    ...options,
    busyTimeoutMs,
    checkpointPages: shortLogPages,
    maxLogBytesAfterClose: remainingLogBytes,
    recoveryAdvice: stateContents,
  })
  try {
    const version = versionOf(database, path)
    if (version === 0 && wasUsed(options.deliveryLockPath)) throw lostStateError(path, 'empty')
    if (version !== schemaVersion) {
      const { migrate } = await import('./migrate-state.js')
      migrate(database, path, () => versionOf(database, path))
    }
  } catch (error) {
    database.close()
    throw error
  }
  let isInTransaction = false
  let insert: SqliteStatement | undefined
  return {
    database,
    snapshot: (name) => readSnapshot(database, name),
    saveSnapshot(name, value, at) {
      insert ??= database.prepare('INSERT OR REPLACE INTO snapshot (name, value, at) VALUES (?, ?, ?)')
      insert.run([name, JSON.stringify(value), at.getTime()])
    },
    atomically: (work) => (isInTransaction ? work() : database.transaction(work)),
    async exclusively(work) {
      database.exec('BEGIN IMMEDIATE')
      isInTransaction = true
      try {
        const result = await work()
        database.commit()
        return result
      } catch (error) {
        database.rollBack()
        throw error
      } finally {
        isInTransaction = false
      }
    },
    version() {
      const { data_version: version } = database.prepare('PRAGMA data_version').get() as {
        data_version: number
      }
      return version
    },
    close: () => database.close(),
  }
}

/** Returns the memory for the name of the date field of expenses, in the snapshot `expense_date`. */
export function expenseDateMemory(state: ClientState, clock: () => Date): ExpenseDateMemory {
  return {
    read() {
      const known = state.snapshot('expense_date')
      return known?.value ? { ...known.value, at: known.at } : undefined
    },
    // The next response shows a lost name again.
    write: (known) => writeIfPossible(() => state.saveSnapshot('expense_date', known ?? null, clock())),
  }
}

/** Runs a write whose loss costs only time, such as one to the cache. Ignores errors of the disk. */
export function writeIfPossible(write: () => void) {
  try {
    write()
  } catch (error) {
    if (!(error instanceof TtError)) throw error
  }
}

/** Returns the size of a file; undefined without one. Opening it says why it cannot be read. */
function sizeIfPresent(path: string): number | undefined {
  try {
    return statSync(path).size
  } catch {
    return undefined
  }
}

/**
 * Throws TtError `failure` when the state at `path` is missing or empty, but had changes to send before.
 *
 * @param deliveryLockPath see `StateOptions`
 */
export function checkStateExists(path: string, deliveryLockPath: string | undefined) {
  const bytes = sizeIfPresent(path)
  if (!bytes && !isBrokenLink(path) && wasUsed(deliveryLockPath))
    throw lostStateError(path, bytes === 0 ? 'empty' : 'missing')
}

function wasUsed(deliveryLockPath: string | undefined): boolean {
  return deliveryLockPath !== undefined && existsSync(deliveryLockPath)
}

/** Returns the error for a state that was used before and has no tables now: a new one would hide the loss. */
function lostStateError(path: string, problem: 'missing' | 'empty'): TtError {
  return new TtError(
    'failure',
    `The state database ${path} is ${problem}, but it was used before. Changes that were not sent yet may be lost.`,
    {
      hint: `To continue without them, move the directory ${dirname(path)} away. Otherwise restore a backup.`,
      nextStep: { action: 'restore' },
    },
  )
}

function versionOf(database: Sqlite, path: string): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (version > schemaVersion) {
    throw new TtError(
      'failure',
      `The state in ${path} was written by a newer tt (version ${version}; this tt knows ${schemaVersion}).`,
      { hint: 'Update tt. Nothing was changed.' },
    )
  }
  return version
}
