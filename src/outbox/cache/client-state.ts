import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { TtError } from '../../lib/errors.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import { isBrokenLink } from '../../lib/sqlite/database-errors.js'
import { openSqlite, shortLogPages } from '../../lib/sqlite/open.js'
import { readSnapshot, type SavedSnapshot, type Snapshots } from './snapshots.js'
import { schemaVersion } from './state-schema.js'

/**
 * What is known of one profile on this machine: in the database of the local workspace, or in one of its own for an
 * account of a service. Times are epoch milliseconds.
 */
export interface ClientState {
  /** Shared by the outbox, the history and the cache, so that a transaction can include all of them. */
  database: Sqlite
  /** Returns the snapshot with that name. */
  snapshot<Name extends keyof Snapshots>(name: Name): SavedSnapshot<Name> | undefined
  saveSnapshot<Name extends keyof Snapshots>(name: Name, value: Snapshots[Name], at: Date): void
  /** See `Sqlite.transaction`. */
  atomically: Sqlite['transaction']
  /** See `Sqlite.exclusively`. */
  exclusively: Sqlite['exclusively']
  /** Returns a number that changes when another connection, such as that of another process, has written the state. */
  version(): number
  close(): void
}

/** Advice for a damaged database of the client state. */
export const stateContents =
  'It contains the changes that were not sent yet: keep a copy of it. Move its directory away to continue without them.'

/** How long to wait for the transaction of another process, in milliseconds; only a stalled machine takes this long. */
const busyTimeoutMs = 30_000

/**
 * Opens the client state of an account of a service in the SQLite file at `path`, after migrating its schema and making a
 * copy of the earlier version beside it.
 *
 * Throws TtError `failure` when a newer `tt` has written it, or when the file cannot be used.
 *
 * @param deliveryLockPath a file beside it that exists once the state had changes to send; undefined for a copy
 */
export async function openClientState(path: string, deliveryLockPath?: string): Promise<ClientState> {
  checkStateExists(path, deliveryLockPath)
  const database = await openSqlite(path, {
    busyTimeoutMs,
    checkpointPages: shortLogPages,
    recoveryAdvice: stateContents,
  })
  try {
    const version = versionOf(database, path)
    if (version === 0 && wasUsed(deliveryLockPath)) throw lostStateError(path, 'empty')
    if (version !== schemaVersion) {
      const { migrate } = await import('./migrate-state.js')
      migrate(database, path, () => versionOf(database, path))
    }
  } catch (error) {
    database.close()
    throw error
  }
  return createClientState(database)
}

/** Returns the client state in a database with its tables. */
export function createClientState(database: Sqlite): ClientState {
  let insert: SqliteStatement | undefined
  return {
    database,
    snapshot: (name) => readSnapshot(database, name),
    saveSnapshot(name, value, at) {
      insert ??= database.prepare('INSERT OR REPLACE INTO snapshot (name, value, at) VALUES (?, ?, ?)')
      insert.run([name, JSON.stringify(value), at.getTime()])
    },
    atomically: database.transaction,
    exclusively: database.exclusively,
    version() {
      const { data_version: version } = database.prepare('PRAGMA data_version').get() as {
        data_version: number
      }
      return version
    },
    close: () => database.close(),
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
  if (version > schemaVersion) throw newerStateError(path, version)
  return version
}

export function newerStateError(path: string, version: number): TtError {
  return new TtError(
    'failure',
    `The state in ${path} was written by a newer tt (version ${version}; this tt knows ${schemaVersion}).`,
    { hint: 'Update tt. Nothing was changed.' },
  )
}
