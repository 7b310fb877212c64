CREATE TABLE alias (kind TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (kind, name))
    STRICT, WITHOUT ROWID;
INSERT INTO "alias" VALUES('entry','~1','1');
INSERT INTO "alias" VALUES('entry','~2','2');
INSERT INTO "alias" VALUES('entry','~4','3');
INSERT INTO "alias" VALUES('entry','~6','8');
CREATE TABLE asked (
    kind TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
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
CREATE TABLE history (
    seq INTEGER PRIMARY KEY,
    what TEXT NOT NULL,
    steps TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0,
    at INTEGER NOT NULL
  , import TEXT, catalog_change TEXT) STRICT;
INSERT INTO "history" VALUES(1,'Added Acme / Website / Design, 2024-05-01 09:00','[{"kind":"entry","record":"~1","before":null,"after":{"id":"~1","time_start":"2024-05-01T09:00:00.000Z","time_end":"2024-05-01T10:00:00.000Z","task_link_id":1,"notes":"first"}}]',0,1795757559837,NULL,'0f78f3a6-d19c-4f12-b0ba-dcfd4b4977c9');
INSERT INTO "history" VALUES(2,'Added Acme / Website / Design, 2024-05-01 10:00','[{"kind":"entry","record":"~2","before":null,"after":{"id":"~2","time_start":"2024-05-01T10:00:00.000Z","time_end":"2024-05-01T11:00:00.000Z","task_link_id":1,"notes":"second"}}]',0,1795757561078,NULL,NULL);
INSERT INTO "history" VALUES(3,'Changed Acme / Website / Design (notes)','[{"kind":"entry","record":"2","before":{"id":2,"time_start":"2024-05-01T10:00:00.000Z","time_end":"2024-05-01T11:00:00.000Z","notes":"second","task_link_id":1,"external_id":null,"created_at":"2026-11-27T05:32:41.183Z","updated_at":"2026-11-27T05:32:41.183Z","etag":"\"2573629\""},"after":{"id":2,"time_start":"2024-05-01T10:00:00.000Z","time_end":"2024-05-01T11:00:00.000Z","notes":"second, edited","task_link_id":1,"external_id":null,"created_at":"2026-11-27T05:32:41.183Z","updated_at":"2026-11-27T05:32:41.183Z","etag":"\"2573629\""}}]',0,1795757561549,NULL,NULL);
INSERT INTO "history" VALUES(4,'Added Acme / Website / Review, 2024-05-01 11:00','[{"kind":"entry","record":"~4","before":null,"after":{"id":"~4","time_start":"2024-05-01T11:00:00.000Z","time_end":"2024-05-01T12:00:00.000Z","task_link_id":2,"notes":"third"}}]',0,1795757561897,NULL,'d04b798b-c11c-491f-87e1-28c31479c772');
INSERT INTO "history" VALUES(5,'Deleted Acme / Website / Review','[{"kind":"entry","record":"3","before":{"id":3,"time_start":"2024-05-01T11:00:00.000Z","time_end":"2024-05-01T12:00:00.000Z","notes":"third","task_link_id":2,"external_id":null,"created_at":"2026-11-27T05:32:42.109Z","updated_at":"2026-11-27T05:32:42.109Z","etag":"\"467059871\""},"after":null}]',0,1795757562493,NULL,NULL);
INSERT INTO "history" VALUES(6,'Renamed the project Acme/Website to Acme/Site','[]',0,1795757563223,NULL,'ae712193-91f6-46b8-b41f-e16c5ad6e9c6');
INSERT INTO "history" VALUES(7,'import of toggl.csv, 2 entries','[]',0,1795757563856,'5a8f8c92-4524-4ddb-8f5c-b92f2e3a3646',NULL);
INSERT INTO "history" VALUES(8,'import of later.csv, 2 entries','[]',1,1795757564707,'008ac710-3653-419b-99f8-a869f663fbb7',NULL);
INSERT INTO "history" VALUES(9,'Started Acme / Site / Design at 2024-05-04 09:00','[{"kind":"entry","record":"~6","before":null,"after":{"id":"~6","time_start":"2024-05-04T09:00:00.000Z","task_link_id":1,"notes":"running"}}]',0,1795757565441,NULL,NULL);
CREATE TABLE import (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    entries INTEGER NOT NULL,
    state TEXT NOT NULL,
    staging TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
INSERT INTO "import" VALUES('5a8f8c92-4524-4ddb-8f5c-b92f2e3a3646','import of toggl.csv, 2 entries',2,'done','5a8f8c92-4524-4ddb-8f5c-b92f2e3a3646.db',1795757563856);
INSERT INTO "import" VALUES('008ac710-3653-419b-99f8-a869f663fbb7','import of later.csv, 2 entries',2,'done','008ac710-3653-419b-99f8-a869f663fbb7.db',1795757564707);
CREATE TABLE import_choice (names TEXT PRIMARY KEY, task_link TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE imported (
    external_id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    import TEXT NOT NULL,
    undone INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
INSERT INTO "imported" VALUES('toggl/jZpmfzoD8THMZjIcoO5rjA','jZpmfzoD8THMZjIcoO5rjA 1714734000000','008ac710-3653-419b-99f8-a869f663fbb7',1);
INSERT INTO "imported" VALUES('toggl/onbpXbeUO8pAOnTMvc20_m','onbpXbeUO8pAOnTMvc20_m 1714644000000','5a8f8c92-4524-4ddb-8f5c-b92f2e3a3646',0);
INSERT INTO "imported" VALUES('toggl/vTvfJDJOENSK0Kq7WLBzto','vTvfJDJOENSK0Kq7WLBzto 1714730400000','008ac710-3653-419b-99f8-a869f663fbb7',1);
INSERT INTO "imported" VALUES('toggl/wqNSIyiCoBgyhDgoqJp6jd','wqNSIyiCoBgyhDgoqJp6jd 1714647600000','5a8f8c92-4524-4ddb-8f5c-b92f2e3a3646',0);
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
  , waits_for INTEGER, sent_at INTEGER, sent_uptime INTEGER, sends INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 0, first_sent_at INTEGER, clock_offset INTEGER, listed_at INTEGER, candidates TEXT) STRICT;
CREATE TABLE seen (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    start_at INTEGER,
    body TEXT NOT NULL,
    at INTEGER NOT NULL, end_at INTEGER, updated_at INTEGER,
    UNIQUE (kind, id)
  ) STRICT;
CREATE TABLE snapshot (name TEXT PRIMARY KEY, value TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
INSERT INTO "snapshot" VALUES('timer','{"id":8,"time_start":"2024-05-04T09:00:00+00:00","time_end":null,"notes":"running","task_link_id":1,"external_id":null,"created_at":"2026-11-27T05:32:45.596Z","updated_at":"2026-11-27T05:32:45.596Z","etag":"\"508548807\"","project":"Site","client":"Acme","task":"Design","project_id":1,"client_id":1,"task_id":1,"duration_seconds":80944365,"running":true,"pending":false}',1795757565441);
INSERT INTO "snapshot" VALUES('timer_sleep','{"uptimeMs":2320680,"sleptMs":0}',1795757565441);
CREATE INDEX seen_start ON seen (kind, start_at);
CREATE INDEX seen_long ON seen (end_at, start_at) WHERE end_at - start_at > 86400000;
CREATE INDEX seen_open ON seen (start_at) WHERE kind = 'entry' AND end_at IS NULL;
CREATE TRIGGER outbox_revision AFTER UPDATE ON outbox BEGIN
    UPDATE outbox SET revision = old.revision + (new.fields <> old.fields OR new.key <> old.key) WHERE seq = new.seq;
  END;
CREATE INDEX outbox_state ON outbox (state);
CREATE INDEX outbox_record ON outbox (kind, record);
CREATE INDEX outbox_waits_for ON outbox (waits_for) WHERE waits_for IS NOT NULL;
CREATE INDEX alias_id ON alias (kind, id);
CREATE TRIGGER seen_deleted AFTER INSERT ON seen BEGIN
    UPDATE deleted SET found_at = new.at WHERE kind = new.kind AND record = new.id AND at <= new.at;
  END;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('outbox',6);
PRAGMA user_version = 10;
