import type { ExpenseDateMemory, KnownExpenseDate } from '../api/expense-date-field.js'
import { TtError } from '../lib/errors.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { openSqlite, shortLogPages } from '../lib/sqlite/open.js'

/** What was known of the timer, and when it was learned. */
export interface KnownTimer {
  /** The running entry as `tt status --json` shows it; null when none was running. */
  timer: Record<string, unknown> | null
  at: Date
}

/** The state that `tt` keeps on this machine for one profile. Times are epoch milliseconds in the database. */
export interface ClientState {
  /** Shared by the outbox, the history and the cache, so that what belongs together is one transaction. */
  database: Sqlite
  knownTimer(): KnownTimer | undefined
  rememberTimer(timer: Record<string, unknown> | null, at: Date): void
  /** One JSON value with a name, and when it was kept. */
  snapshot(name: string): { value: unknown; at: Date } | undefined
  saveSnapshot(name: string, value: unknown, at: Date): void
  /** Runs `work` in one transaction, which is the one that is open already where there is one. */
  atomically<Result>(work: () => Result): Result
  /** Runs `work`, which may wait for something inside this process, in one transaction: no other process writes meanwhile. */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  close(): void
}

export interface StateOptions {
  /** `full` where the outbox is all there is of a change until the service has it; see `openSqlite`. */
  durability: 'full' | 'normal'
}

/** What a database of the client state contains, for hints. */
export const stateContents =
  'It contains the changes that were not sent yet: keep a copy of it. Move its directory away to continue without them.'

/** The version of the schema: of `migrations` in state-schema.ts, which is loaded only to make it or bring it up to date. */
const schemaVersion = 4

/**
 * Bytes of the log that may remain beside the state of the local workspace, which has nothing but the history of the
 * last commands in it: writing them at each command would make `tt start` wait for the disk three times more.
 */
const remainingLocalLogBytes = 65_536

/** Processes take turns, and each turn is short: only a machine that stands still keeps one waiting this long. */
const busyTimeoutMs = 30_000

/**
 * Opens the client state in the SQLite file at `path`, bringing its schema up to date; before that a copy of the file
 * is kept beside it.
 *
 * Throws TtError `failure` when a newer `tt` has written it, or when the file cannot be used.
 */
export async function openClientState(path: string, options: StateOptions): Promise<ClientState> {
  const remainingLogBytes = options.durability === 'normal' ? remainingLocalLogBytes : 0
  const database = await openSqlite(path, {
    ...options,
    busyTimeoutMs,
    checkpointPages: shortLogPages,
    maxLogBytesAfterClose: remainingLogBytes,
    recoveryAdvice: stateContents,
  })
  try {
    if (versionOf(database, path) !== schemaVersion) {
      const { migrate } = await import('./state-schema.js')
      migrate(database, path, () => versionOf(database, path))
    }
  } catch (error) {
    database.close()
    throw error
  }
  let inside = false
  const snapshot = (name: string) => {
    const row = database.prepare('SELECT value, at FROM snapshot WHERE name = ?').get([name]) as
      | { value: string; at: number }
      | undefined
    return row && { value: JSON.parse(row.value) as unknown, at: new Date(row.at) }
  }
  const saveSnapshot = (name: string, value: unknown, at: Date) => {
    database
      .prepare('INSERT OR REPLACE INTO snapshot (name, value, at) VALUES (?, ?, ?)')
      .run([name, JSON.stringify(value), at.getTime()])
  }
  return {
    database,
    snapshot,
    saveSnapshot,
    knownTimer() {
      const known = snapshot('timer')
      return known && { timer: known.value as KnownTimer['timer'], at: known.at }
    },
    rememberTimer: (timer, at) => saveSnapshot('timer', timer, at),
    atomically: (work) => (inside ? work() : database.transaction(work)),
    async exclusively(work) {
      database.exec('BEGIN IMMEDIATE')
      inside = true
      try {
        const result = await work()
        database.commit()
        return result
      } catch (error) {
        database.rollBack()
        throw error
      } finally {
        inside = false
      }
    },
    close: () => database.close(),
  }
}

/** Remembers the name of the date field of expenses in the snapshot `expense_date`. */
export function expenseDateMemory(state: ClientState, clock: () => Date): ExpenseDateMemory {
  return {
    read() {
      const known = state.snapshot('expense_date')
      return known?.value ? { ...(known.value as KnownExpenseDate), at: known.at } : undefined
    },
    // A name that is lost is learned again from the next response.
    write: (known) => writeIfPossible(() => state.saveSnapshot('expense_date', known ?? null, clock())),
  }
}

/**
 * Runs a write outside a transaction whose loss costs nothing but time: a cache, or how the service was reached. What
 * the disk does not take of it fails no command.
 */
export function writeIfPossible(write: () => void) {
  try {
    write()
  } catch (error) {
    if (!(error instanceof TtError)) throw error
  }
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
