import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { TtError } from '../lib/errors.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { schemaMismatchError } from '../lib/sqlite/errors.js'
import { stateContents } from './client-state.js'

/**
 * The schema of the client state, one migration a version. A migration that was released is never changed.
 *
 * Times are epoch milliseconds. A record is named by its id at the service as text, or by a local id such as `~3`.
 */
export const migrations = [
  // What was known last, as JSON: the timer, the reference data, how the service was reached.
  'CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
  // outbox: the changes that the service does not have yet, in the order in which they were typed; see `QueuedChange`.
  // alias: other names of records: what a local id became, and what took the place of a record that was deleted.
  // seen: records as the service answered them last; start_at is where they lie in time: time_start, or midnight of
  // spent_on. asked: periods, half-open, that the service was asked for whole.
  // history: what was changed, for undo; steps are [{kind, record, before, after}].
  // SQLite reads these texts whenever the file is opened: what explains them stays out of them.
  `CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    op TEXT NOT NULL,
    record TEXT NOT NULL,
    fields TEXT NOT NULL,
    base TEXT,
    key TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    in_doubt INTEGER NOT NULL DEFAULT 0,
    known_until INTEGER,
    said TEXT,
    typed_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE alias (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, name))
    STRICT, WITHOUT ROWID;
  CREATE TABLE seen (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    start_at INTEGER,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (kind, id)
  ) STRICT;
  CREATE INDEX seen_start ON seen (kind, start_at);
  CREATE TABLE asked (
    kind TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY,
    what TEXT NOT NULL,
    steps TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
  ) STRICT`,
  // The change of the same plan that comes first; it need not be there any more.
  'ALTER TABLE outbox ADD COLUMN waits_for INTEGER',
  // When it was last sent, by the wall clock and since the machine started, and how many requests may have been done.
  `ALTER TABLE outbox ADD COLUMN sent_at INTEGER;
  ALTER TABLE outbox ADD COLUMN sent_uptime INTEGER;
  ALTER TABLE outbox ADD COLUMN sends INTEGER NOT NULL DEFAULT 0;
  UPDATE outbox SET sends = 1 WHERE in_doubt = 1`,
]

/** Brings the schema up to date, and keeps a copy of what was there before beside it. `version` reads it anew. */
export function migrate(database: Sqlite, path: string, version: () => number) {
  const before = version()
  // Another process may have brought it up to date already.
  if (before > 0 && before < migrations.length) {
    // A database with a wrong version number must not replace an older copy.
    rehearse(database, () => applyMigrations(database, path, version()))
    keepCopy(database, `${path}.version-${before}`, before)
  }
  database.transaction(() => {
    // Read again under the lock: another process may have migrated meanwhile.
    applyMigrations(database, path, version())
    database.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

/**
 * Applies the migrations above that version, within the open transaction. Throws TtError `failure` where they do not
 * fit the tables at `path`.
 */
export function applyMigrations(database: Sqlite, path: string, version: number) {
  try {
    for (const migration of migrations.slice(version)) database.exec(migration)
  } catch (error) {
    throw schemaMismatchError(error, path, stateContents)
  }
}

/** Runs `work` in a transaction that is rolled back. */
export function rehearse<Result>(database: Sqlite, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    return work()
  } finally {
    database.rollBack()
  }
}

/** A whole database of that version, for its owner alone. It takes its name when it is complete and on the disk. */
function keepCopy(database: Sqlite, copy: string, version: number) {
  const unfinished = `${copy}.${process.pid}`
  try {
    rmSync(unfinished, { force: true })
    // SQLite writes into an empty file, and so the copy has its mode from the beginning.
    writeFileSync(unfinished, '', { mode: 0o600 })
    database.prepare('VACUUM INTO ?').run([unfinished])
    // Where another process has migrated meanwhile, it has made the copy.
    if (versionOnDisk(unfinished) === version) renameSync(unfinished, copy)
  } catch (error) {
    if (error instanceof TtError) throw error
    throw new TtError('failure', `A copy of the state could not be kept as ${copy}. Nothing was changed.`, {
      hint: 'tt keeps one before it brings the state up to date. Check the space and the permissions there.',
      cause: error,
    })
  } finally {
    rmSync(unfinished, { force: true })
  }
}

/** The version in the header of a database file (sqlite.org/fileformat2.html section 1.3), once it is on the disk. */
function versionOnDisk(path: string): number {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    const header = Buffer.alloc(100)
    readSync(file, header, 0, header.length, 0)
    return header.readUInt32BE(60)
  } finally {
    closeSync(file)
  }
}
