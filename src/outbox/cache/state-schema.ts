/**
 * The schema of the client state, one migration per version. A released migration never changes.
 *
 * Times are epoch milliseconds. The name of a record is its id at the service as text, or a local id such as `~3`.
 */
export const migrations = [
  // The latest values as JSON: the timer, the reference data, the state of the connection.
  'CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
  // outbox: the changes that the service does not have yet, in the order of the commands; see `QueuedChange`.
  // alias: maps the local id of a created record to its id, and the id of a deleted record to that of its replacement.
  // seen: the latest records of the service; start_at is their time: time_start, or midnight of spent_on.
  // asked: half-open ranges whose complete lists were fetched. The kind `entry` stands for all entries that start in the
  // range, `overlap` also for those that start before it and reach into it.
  // history: changes that can be undone; steps are [{kind, record, before, after}].
  // SQLite parses these statements whenever the file is opened: comments stay outside.
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
  // waits_for: the change of the same plan that must be sent first, and that may have been removed since.
  'ALTER TABLE outbox ADD COLUMN waits_for INTEGER',
  // The time of the last request, by the wall clock and since the machine started, and the number of requests that the
  // service may have applied.
  `ALTER TABLE outbox ADD COLUMN sent_at INTEGER;
  ALTER TABLE outbox ADD COLUMN sent_uptime INTEGER;
  ALTER TABLE outbox ADD COLUMN sends INTEGER NOT NULL DEFAULT 0;
  UPDATE outbox SET sends = 1 WHERE in_doubt = 1`,
  // end_at: the end of an entry; null for a running one and for an expense. The indexes find the few entries that start long
  // before a range and reach into it: those longer than a day, and running ones.
  `ALTER TABLE seen ADD COLUMN end_at INTEGER;
  UPDATE seen SET end_at = round((julianday(json_extract(body, '$.time_end')) - 2440587.5) * 86400000)
    WHERE kind = 'entry';
  CREATE INDEX seen_long ON seen (end_at, start_at) WHERE end_at - start_at > 86400000;
  CREATE INDEX seen_open ON seen (start_at) WHERE kind = 'entry' AND end_at IS NULL`,
  // updated_at: when the entry last changed at the service; null for a record without that field, for an expense, and for
  // a record stored before this migration, which the next report reads again.
  'ALTER TABLE seen ADD COLUMN updated_at INTEGER',
  // revision: see `QueuedChange`. A trigger counts, so that the updates of a process that was started before this migration
  // count too. It does not run for its own update.
  `ALTER TABLE outbox ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  CREATE TRIGGER outbox_revision AFTER UPDATE ON outbox BEGIN
    UPDATE outbox SET revision = old.revision + (new.fields <> old.fields OR new.key <> old.key) WHERE seq = new.seq;
  END`,
  // import: the imports into the local workspace, `waiting` until the history has them, then `done`; staging is the name of
  // the file with their entries.
  // imported: the entries that were imported into this profile from this machine. content is that of the source, as in the
  // staging file; empty if it is unknown. undone: whether the user has undone their import.
  // import_choice: the task links that the user has chosen for combinations of names, as JSON.
  // history.import: the ID of the import that the change is.
  // The indexes serve thousands of pending changes: the next one, those of one record, dependent ones, and created records.
  `CREATE TABLE import (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    entries INTEGER NOT NULL,
    state TEXT NOT NULL,
    staging TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE imported (
    external_id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    import TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE import_choice (names TEXT PRIMARY KEY, task_link TEXT NOT NULL) STRICT, WITHOUT ROWID;
  ALTER TABLE history ADD COLUMN import TEXT;
  CREATE INDEX outbox_state ON outbox (state);
  CREATE INDEX outbox_record ON outbox (kind, record);
  CREATE INDEX outbox_waits_for ON outbox (waits_for) WHERE waits_for IS NOT NULL;
  CREATE INDEX alias_id ON alias (kind, id)`,
  // first_sent_at: the time of the first request of a create. clock_offset: how far the clock of the service was ahead of
  // this one then, in milliseconds; null if that was unknown. listed_at: when its day was listed before that. candidates: the
  // IDs of the records that an ambiguous create may be, as JSON.
  // attempt: the updates and deletes that were sent and whose outcome is unknown; see `Attempts`.
  // deleted: the records whose deletion the service has accepted within the last day, as they were before. found_at: when a
  // later response had such a record; a trigger sees it whatever reads it. resent: whether the deletion was sent again.
  `ALTER TABLE outbox ADD COLUMN first_sent_at INTEGER;
  ALTER TABLE outbox ADD COLUMN clock_offset INTEGER;
  ALTER TABLE outbox ADD COLUMN listed_at INTEGER;
  ALTER TABLE outbox ADD COLUMN candidates TEXT;
  UPDATE outbox SET first_sent_at = sent_at WHERE sends = 1;
  CREATE TABLE attempt (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    record TEXT NOT NULL,
    op TEXT NOT NULL,
    fields TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    sent_uptime INTEGER,
    confirmed TEXT
  ) STRICT;
  CREATE TABLE deleted (
    kind TEXT NOT NULL,
    record TEXT NOT NULL,
    base TEXT,
    at INTEGER NOT NULL,
    found_at INTEGER,
    resent INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, record)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER seen_deleted AFTER INSERT ON seen BEGIN
    UPDATE deleted SET found_at = new.at WHERE kind = new.kind AND record = new.id AND at <= new.at;
  END`,
  // history.catalog_change: the ID of the change of clients, projects and tasks of the local workspace that the change is,
  // or that has created the records that it needs.
  'ALTER TABLE history ADD COLUMN catalog_change TEXT',
  // Imports into the local workspace are one transaction.
  'DROP TABLE import',
  // invoice: the invoices and cancellations of this profile, which no request of the API can store. body is the JSON of
  // `InvoiceBody`; cancels is the ID of the invoice that a cancellation cancels.
  // invoiced: the entries and expenses on an invoice that is not cancelled, by their current IDs, which the trigger adapts.
  // The primary key keeps a record from being on two invoices.
  // history.invoice: the ID of the invoice that the change is.
  `CREATE TABLE invoice (
    id TEXT PRIMARY KEY,
    number TEXT NOT NULL UNIQUE,
    client TEXT NOT NULL,
    until TEXT,
    cancels TEXT UNIQUE,
    body TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE invoiced (
    kind TEXT NOT NULL,
    record TEXT NOT NULL,
    invoice TEXT NOT NULL,
    PRIMARY KEY (kind, record)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER invoiced_alias AFTER INSERT ON alias BEGIN
    UPDATE OR IGNORE invoiced SET record = new.id WHERE kind = new.kind AND record = new.name;
  END;
  ALTER TABLE history ADD COLUMN invoice TEXT`,
  // What a service accepts is one snapshot (`Capabilities`).
  `INSERT INTO snapshot SELECT 'capabilities', json_group_object(
      CASE name WHEN 'open_entries' THEN 'openEntries' WHEN 'expense_date' THEN 'expenseDate'
        WHEN 'filter /timesheets time_end_gteq' THEN 'endFilter' ELSE replace(name, 'paging ', 'pageSize ') END,
      json_object('value', json(value), 'at', at)), 0
    FROM snapshot WHERE name LIKE 'paging %' OR name = 'filter /timesheets time_end_gteq'
      OR (name IN ('open_entries', 'expense_date') AND value <> 'null')
    HAVING count(*) > 0;
  DELETE FROM snapshot WHERE name LIKE 'paging %'
    OR name IN ('filter /timesheets time_end_gteq', 'open_entries', 'expense_date')`,
]

/** The version of the last migration, which an up-to-date database stores. */
export const schemaVersion = migrations.length
