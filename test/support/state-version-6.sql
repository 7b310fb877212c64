-- A client state of schema version 6, written by the last release before version 7. Against a service that rejects open
-- entries and ignores Idempotency-Key, its commands have left these changes in the outbox: a conflict (5), a rejected
-- create (6), a local timer (7), creates with an unknown outcome that the service has not (8) and has (9) executed, and
-- pending changes, one of which waits for another (10-14, 16).
CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
CREATE TABLE outbox (
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
  , waits_for INTEGER, sent_at INTEGER, sent_uptime INTEGER, sends INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE alias (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, name))
    STRICT, WITHOUT ROWID;
CREATE TABLE seen (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    start_at INTEGER,
    body TEXT NOT NULL,
    at INTEGER NOT NULL, end_at INTEGER, updated_at INTEGER,
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
  ) STRICT;
CREATE INDEX seen_long ON seen (end_at, start_at) WHERE end_at - start_at > 86400000;
CREATE INDEX seen_open ON seen (start_at) WHERE kind = 'entry' AND end_at IS NULL;
INSERT INTO snapshot VALUES ('expense_types', '{"value":[{"id":1,"name":"Travel","active":true}],"doubtful":false}', 1715184000000);
INSERT INTO snapshot VALUES ('expense_date', '{"name":"spent_on","isFilterable":true}', 1715184000000);
INSERT INTO snapshot VALUES ('catalog', '{"value":{"links":[{"id":1,"project_id":1,"task_id":1,"active":true},{"id":2,"project_id":2,"task_id":2,"active":true}],"projects":[{"id":2,"name":"App","client_id":1,"active":true},{"id":1,"name":"Website","client_id":null,"active":true}],"clients":[{"id":1,"name":"Acme"}],"tasks":[{"id":1,"name":"Design"},{"id":2,"name":"Review"}]},"doubtful":false}', 1715184300000);
INSERT INTO snapshot VALUES ('open_entries', '"refused"', 1715184360000);
INSERT INTO snapshot VALUES ('circuit_breaker', '{"failedAt":1715184450000,"failures":7,"retryAt":1715184463936,"pausedUntil":0,"reason":"The service at https://time.example.com/api/v1 cannot be reached (connection lost)."}', 1715184450000);
INSERT INTO snapshot VALUES ('timer', '{"id":"~7","time_end":null,"notes":"timer","task_link_id":2,"external_id":null,"time_start":"2024-05-08T16:00:00+02:00","project":"App","client":"Acme","task":"Review","project_id":2,"client_id":1,"task_id":2,"duration_seconds":7650,"running":true,"pending":true,"local_id":"~7"}', 1715184450000);
INSERT INTO outbox VALUES (5, 'entry', 'update', '2', '{"notes":"conflict here"}', '{"id":2,"time_start":"2024-05-08T07:00:00.000Z","time_end":"2024-05-08T07:30:00.000Z","notes":"conflict elsewhere","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.001Z"}', 'e974a669b3e876db6eeee3cb661ce51f', 'conflict', 0, 0, NULL, '{"message":"Changed elsewhere: the notes are \"conflict elsewhere\" at the service, were \"conflict\" before, and are \"conflict here\" here. The value at the service was not overwritten."}', 1715184060000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (6, 'entry', 'create', '~6', '{"time_start":"2024-05-08T09:00:00.000Z","time_end":"2024-05-08T09:30:00.000Z","task_link_id":1,"notes":"rejected"}', NULL, 'a17b0fea6e4e5b820247985df370efdd', 'refused', 0, 0, NULL, '{"message":"notes is not allowed","status":422}', 1715184300000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (7, 'entry', 'create', '~7', '{"time_start":"2024-05-08T14:00:00.000Z","task_link_id":2,"notes":"timer"}', NULL, 'fd314cce-02c9-41ff-ad59-105993d5e236', 'held', 0, 0, NULL, NULL, 1715184360000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (8, 'entry', 'create', '~8', '{"time_start":"2024-05-08T12:00:00.000Z","time_end":"2024-05-08T12:30:00.000Z","task_link_id":1,"notes":"lost"}', NULL, '51556ce1eba9d34b50d8f4936f960ad7', 'waiting', 1, 1, 4, NULL, 1715184420000, NULL, 1715184420000, NULL, 1);
INSERT INTO outbox VALUES (9, 'entry', 'create', '~9', '{"time_start":"2024-05-08T11:00:00.000Z","time_end":"2024-05-08T11:30:00.000Z","task_link_id":1,"notes":"executed"}', NULL, '4c8a8a0c675e41819915598eafbfaad2', 'waiting', 1, 1, 4, NULL, 1715184450000, NULL, 1715184450000, NULL, 1);
INSERT INTO outbox VALUES (10, 'entry', 'update', '1', '{"notes":"updated here"}', '{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","notes":"updated","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', '3d746e52939ae577670438f5655c93d9', 'waiting', 0, 0, NULL, NULL, 1715184450000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (11, 'entry', 'delete', '3', '{}', '{"id":3,"time_start":"2024-05-08T08:00:00.000Z","time_end":"2024-05-08T08:30:00.000Z","notes":"deleted","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', '6676dfcbe6d553764462fc5cfd8e1ed6', 'waiting', 0, 0, NULL, NULL, 1715184450000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (12, 'entry', 'create', '~12', '{"time_start":"2024-05-08T13:00:00.000Z","time_end":"2024-05-08T13:30:00.000Z","task_link_id":2,"notes":"created"}', NULL, '28789c3f74950dceed213c081458af9b', 'waiting', 0, 0, NULL, NULL, 1715184450000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (13, 'entry', 'create', '~13', '{"notes":"updated here","task_link_id":1,"time_start":"2024-05-08T06:10:00.000Z","time_end":"2024-05-08T06:30:00.000Z"}', NULL, 'd7639d9479c0db5ca412bd535ce95b52', 'waiting', 0, 0, NULL, NULL, 1715184450000, NULL, NULL, NULL, 0);
INSERT INTO outbox VALUES (14, 'entry', 'update', '1', '{"time_end":"2024-05-08T06:10:00.000Z"}', '{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","notes":"updated here","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', '1ec23565515987bc115ace1620a84551', 'waiting', 0, 0, NULL, NULL, 1715184450000, 13, NULL, NULL, 0);
INSERT INTO outbox VALUES (16, 'expense', 'update', '1', '{"amount":"20.00"}', '{"id":1,"spent_on":"2024-05-08","amount":"12.50","currency":"EUR","expense_type_id":1,"project_id":null,"notes":null,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', 'fe7041bf38ae7df678c43975961dc8c2', 'waiting', 0, 0, NULL, NULL, 1715184450000, NULL, NULL, NULL, 0);
INSERT INTO alias VALUES ('entry', '~1', '1');
INSERT INTO alias VALUES ('entry', '~2', '2');
INSERT INTO alias VALUES ('entry', '~3', '3');
INSERT INTO alias VALUES ('expense', '~4', '1');
INSERT INTO seen VALUES (1, 'entry', '1', 1715148000000, '{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","notes":"updated","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', 1715184000000, 1715149800000, 1715169600000);
INSERT INTO seen VALUES (2, 'entry', '2', 1715151600000, '{"id":2,"time_start":"2024-05-08T07:00:00.000Z","time_end":"2024-05-08T07:30:00.000Z","notes":"conflict elsewhere","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.001Z"}', 1715184180000, 1715153400000, 1715169600001);
INSERT INTO seen VALUES (3, 'entry', '3', 1715155200000, '{"id":3,"time_start":"2024-05-08T08:00:00.000Z","time_end":"2024-05-08T08:30:00.000Z","notes":"deleted","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', 1715184000000, 1715157000000, 1715169600000);
INSERT INTO seen VALUES (4, 'expense', '1', 1715126400000, '{"id":1,"spent_on":"2024-05-08","amount":"12.50","currency":"EUR","expense_type_id":1,"project_id":null,"notes":null,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}', 1715184000000, NULL, NULL);
INSERT INTO asked VALUES ('overlap', 1714600800000, 1715205600000, 1715148000000);
INSERT INTO asked VALUES ('expense', -4500000000000000, 4500000000000000, 1715148000000);
INSERT INTO asked VALUES ('entry', 1712469600000, 1712505960000, 1715148000000);
INSERT INTO asked VALUES ('entry', 1712505960000, 4500000000000000, 1715184360000);
INSERT INTO history VALUES (1, 'Added Website / Design, 08:00', '[{"kind":"entry","record":"~1","before":null,"after":{"id":"~1","time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","task_link_id":1,"notes":"updated"}}]', 0, 1715184000000);
INSERT INTO history VALUES (2, 'Added Website / Design, 09:00', '[{"kind":"entry","record":"~2","before":null,"after":{"id":"~2","time_start":"2024-05-08T07:00:00.000Z","time_end":"2024-05-08T07:30:00.000Z","task_link_id":1,"notes":"conflict"}}]', 0, 1715184000000);
INSERT INTO history VALUES (3, 'Added Website / Design, 10:00', '[{"kind":"entry","record":"~3","before":null,"after":{"id":"~3","time_start":"2024-05-08T08:00:00.000Z","time_end":"2024-05-08T08:30:00.000Z","task_link_id":1,"notes":"deleted"}}]', 0, 1715184000000);
INSERT INTO history VALUES (4, 'Added an expense of 12.50', '[{"kind":"expense","record":"~4","before":null,"after":{"id":"~4","spent_on":"2024-05-08","amount":"12.50","expense_type_id":1}}]', 0, 1715184000000);
INSERT INTO history VALUES (5, 'Changed Website / Design', '[{"kind":"entry","record":"2","before":{"id":2,"time_start":"2024-05-08T07:00:00.000Z","time_end":"2024-05-08T07:30:00.000Z","notes":"conflict","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"},"after":{"id":2,"time_start":"2024-05-08T07:00:00.000Z","time_end":"2024-05-08T07:30:00.000Z","notes":"conflict here","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}}]', 0, 1715184060000);
INSERT INTO history VALUES (6, 'Added Website / Design, 11:00', '[{"kind":"entry","record":"~6","before":null,"after":{"id":"~6","time_start":"2024-05-08T09:00:00.000Z","time_end":"2024-05-08T09:30:00.000Z","task_link_id":1,"notes":"rejected"}}]', 0, 1715184300000);
INSERT INTO history VALUES (7, 'Started Acme / App / Review at 16:00', '[{"kind":"entry","record":"~7","before":null,"after":{"id":"~7","time_start":"2024-05-08T14:00:00.000Z","task_link_id":2,"notes":"timer"}}]', 0, 1715184360000);
INSERT INTO history VALUES (8, 'Added Website / Design, 14:00', '[{"kind":"entry","record":"~8","before":null,"after":{"id":"~8","time_start":"2024-05-08T12:00:00.000Z","time_end":"2024-05-08T12:30:00.000Z","task_link_id":1,"notes":"lost"}}]', 0, 1715184420000);
INSERT INTO history VALUES (9, 'Added Website / Design, 13:00', '[{"kind":"entry","record":"~9","before":null,"after":{"id":"~9","time_start":"2024-05-08T11:00:00.000Z","time_end":"2024-05-08T11:30:00.000Z","task_link_id":1,"notes":"executed"}}]', 0, 1715184450000);
INSERT INTO history VALUES (10, 'Changed Website / Design', '[{"kind":"entry","record":"1","before":{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","notes":"updated","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"},"after":{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","notes":"updated here","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}}]', 0, 1715184450000);
INSERT INTO history VALUES (11, 'Deleted Website / Design', '[{"kind":"entry","record":"3","before":{"id":3,"time_start":"2024-05-08T08:00:00.000Z","time_end":"2024-05-08T08:30:00.000Z","notes":"deleted","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"},"after":null}]', 0, 1715184450000);
INSERT INTO history VALUES (12, 'Added Acme / App / Review, 15:00', '[{"kind":"entry","record":"~12","before":null,"after":{"id":"~12","time_start":"2024-05-08T13:00:00.000Z","time_end":"2024-05-08T13:30:00.000Z","task_link_id":2,"notes":"created"}}]', 0, 1715184450000);
INSERT INTO history VALUES (13, 'Split Website / Design', '[{"kind":"entry","record":"~13","before":null,"after":{"id":"~13","notes":"updated here","task_link_id":1,"time_start":"2024-05-08T06:10:00.000Z","time_end":"2024-05-08T06:30:00.000Z"}},{"kind":"entry","record":"1","before":{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:30:00.000Z","notes":"updated here","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"},"after":{"id":1,"time_start":"2024-05-08T06:00:00.000Z","time_end":"2024-05-08T06:10:00.000Z","notes":"updated here","task_link_id":1,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}}]', 0, 1715184450000);
INSERT INTO history VALUES (14, 'Changed an expense of 20.00 EUR', '[{"kind":"expense","record":"1","before":{"id":1,"spent_on":"2024-05-08","amount":"12.50","currency":"EUR","expense_type_id":1,"project_id":null,"notes":null,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"},"after":{"id":1,"spent_on":"2024-05-08","amount":"20.00","currency":"EUR","expense_type_id":1,"project_id":null,"notes":null,"external_id":null,"created_at":"2024-05-08T12:00:00.000Z","updated_at":"2024-05-08T12:00:00.000Z"}}]', 0, 1715184450000);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('outbox', 16);
INSERT INTO sqlite_sequence VALUES ('seen', 5);
PRAGMA user_version = 6;
