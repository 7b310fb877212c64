import { existsSync } from 'node:fs'
import type { Sqlite } from '../sqlite.js'

/**
 * The schema of the client state, one migration a version. A migration that was released is never changed.
 *
 * Times are epoch milliseconds. A record is named by its id at the service as text, or by a local id such as `~3`.
 */
export const migrations = [
  // What was known last, as JSON: the timer, the reference data, how the service was reached.
  'CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
  `
  -- Changes that the service does not have yet, in the order in which they were typed.
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('entry', 'expense')),
    op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete')),
    record TEXT NOT NULL,
    -- What is sent, as JSON.
    fields TEXT NOT NULL,
    -- The record as it was known before the change, as JSON; null for a create.
    base TEXT,
    -- The Idempotency-Key of a create.
    key TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'refused', 'conflict')),
    attempts INTEGER NOT NULL DEFAULT 0,
    -- 1 when it was sent and the service may have done it.
    in_doubt INTEGER NOT NULL DEFAULT 0,
    -- The last row of seen before it was first sent: what was known until then is something else.
    known_until INTEGER,
    -- Why it is set aside, as JSON.
    said TEXT,
    typed_at INTEGER NOT NULL
  ) STRICT;
  -- Other names of records: what a local id became, and what took the place of a record that was deleted.
  CREATE TABLE alias (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT;
  -- Records as the service answered them last. start_at is where they lie in time: time_start, or midnight of spent_on.
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
  -- Periods, half-open, that the service was asked for whole.
  CREATE TABLE asked (
    kind TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  -- What was changed, for undo: steps are [{kind, record, before, after}] as JSON.
  CREATE TABLE history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    what TEXT NOT NULL,
    steps TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
  ) STRICT`,
]

/** Brings the schema up to date, and keeps a copy of what was there before beside it. `version` reads it anew. */
export function migrate(database: Sqlite, path: string, version: () => number) {
  keepCopy(database, path, version())
  database.transaction(() => {
    // Read again under the lock: another process may have migrated meanwhile.
    for (const migration of migrations.slice(version())) database.exec(migration)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

/** `state.db.version-1`: a whole database of that version, made once. */
function keepCopy(database: Sqlite, path: string, version: number) {
  const copy = `${path}.version-${version}`
  if (version === 0 || existsSync(copy)) return
  database.prepare('VACUUM INTO ?').run([copy])
}
