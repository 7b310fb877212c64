import { TtError } from '../errors.js'
import { openSqlite, type Sqlite } from '../sqlite.js'

/** What was known of the timer, and when it was learned. */
export interface KnownTimer {
  /** The running entry as `tt status --json` shows it; null when none was running. */
  timer: Record<string, unknown> | null
  at: Date
}

/** The state that `tt` keeps on this machine for one profile. Times are epoch milliseconds in the database. */
export interface ClientState {
  knownTimer(): KnownTimer | undefined
  rememberTimer(timer: Record<string, unknown> | null, at: Date): void
  close(): void
}

const migrations = [
  'CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
]

/**
 * Opens the client state in the SQLite file at `path`, bringing its schema up to date.
 *
 * Throws TtError `failure` when a newer `tt` has written it, or when the file cannot be used.
 */
export async function openClientState(path: string): Promise<ClientState> {
  // What is kept here can be asked again from the service: it need not reach the disk before the command ends.
  const database = await openSqlite(path, { durability: 'normal' })
  migrate(database, path)
  return {
    knownTimer() {
      const row = database.prepare("SELECT value, at FROM snapshot WHERE name = 'timer'").get() as
        | { value: string; at: number }
        | undefined
      return row && { timer: JSON.parse(row.value), at: new Date(row.at) }
    },
    rememberTimer(timer, at) {
      database
        .prepare("INSERT OR REPLACE INTO snapshot (name, value, at) VALUES ('timer', ?, ?)")
        .run([JSON.stringify(timer), at.getTime()])
    },
    close: () => database.close(),
  }
}

function migrate(database: Sqlite, path: string) {
  if (versionOf(database, path) === migrations.length) return
  database.transaction(() => {
    // Read again under the lock: another process may have migrated meanwhile.
    for (const migration of migrations.slice(versionOf(database, path))) database.exec(migration)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

function versionOf(database: Sqlite, path: string): number {
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number }
  if (version > migrations.length) {
    throw new TtError(
      'failure',
      `The state in ${path} was written by a newer tt (version ${version}; this tt knows ${migrations.length}).`,
      { hint: 'Update tt. Nothing was changed.' },
    )
  }
  return version
}
