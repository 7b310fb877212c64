CREATE TABLE "acting_administrator" ("name" text not null);
CREATE TABLE "applications" ("id" integer primary key autoincrement, "client_id" text not null unique, "secret_hash" text not null, "name" text not null, "redirect_uris" text not null, "created_at" bigint not null);
CREATE TABLE "assignments" ("id" integer primary key autoincrement, "user_id" bigint not null references "users" ("id"), "project_id" bigint not null references "projects" ("id"), "starts_on" text, "ends_on" text);
CREATE TABLE "audit_log" ("id" integer primary key autoincrement, "at" bigint not null, "event" text not null, "actor" text, "address" text, "details" text);
CREATE TABLE "authorization_codes" ("id" integer primary key autoincrement, "grant_id" bigint not null references "grants" ("id") on delete cascade, "hash" text not null unique, "redirect_uri" text not null, "challenge" text not null, "expires_at" bigint not null, "used_at" bigint);
CREATE TABLE "catalog_changes" ("id" text primary key, "title" text, "at" bigint not null, "applied" integer not null, "steps" text not null, "settings" text, "is_recorded" integer default 0 not null);
INSERT INTO "catalog_changes" VALUES('0f78f3a6-d19c-4f12-b0ba-dcfd4b4977c9',NULL,1795757560685,1,'[{"table":"clients","id":1,"before":null,"after":{"id":1,"name":"Acme","active":1}},{"table":"projects","id":1,"before":null,"after":{"id":1,"client_id":1,"name":"Website","active":1}},{"table":"tasks","id":1,"before":null,"after":{"id":1,"name":"Design"}},{"table":"task_links","id":1,"before":null,"after":{"id":1,"project_id":1,"task_id":1,"active":1}}]',NULL,0);
INSERT INTO "catalog_changes" VALUES('d04b798b-c11c-491f-87e1-28c31479c772',NULL,1795757562066,1,'[{"table":"tasks","id":2,"before":null,"after":{"id":2,"name":"Review"}},{"table":"task_links","id":2,"before":null,"after":{"id":2,"project_id":1,"task_id":2,"active":1}}]',NULL,0);
INSERT INTO "catalog_changes" VALUES('ae712193-91f6-46b8-b41f-e16c5ad6e9c6','Renamed the project Acme/Website to Acme/Site',1795757563223,1,'[{"table":"projects","id":1,"before":{"id":1,"client_id":1,"name":"Website","active":1},"after":{"id":1,"client_id":1,"name":"Site","active":1}}]','{"settings":{},"aliases":{},"choices":{}}',1);
CREATE TABLE "clients" ("id" integer primary key autoincrement, "name" text not null unique, "active" integer default 1 not null);
INSERT INTO "clients" VALUES(1,'Acme',1);
INSERT INTO "clients" VALUES(2,'Globex',1);
CREATE TABLE "company" ("id" integer primary key, "name" text not null, "currency" text not null, "time_zone" text not null, "legacy_keys" integer default 1 not null, "legacy_key_days" integer, "visibility" text default 'open' not null, "closed_until" text, "closed_before" bigint);
INSERT INTO "company" VALUES(1,'Local workspace','EUR','UTC',1,NULL,'open',NULL,NULL);
CREATE TABLE "expense_types" ("id" integer primary key autoincrement, "name" text not null unique, "active" integer not null);
CREATE TABLE "expenses" ("id" integer primary key autoincrement, "user_id" bigint not null references "users" ("id"), "spent_on" text not null, "amount" text not null, "amount_units" bigint not null, "currency" text not null, "expense_type_id" bigint references "expense_types" ("id"), "project_id" bigint references "projects" ("id"), "notes" text, "external_id" text, "created_at" bigint not null, "updated_at" bigint not null, "idempotency_key" text, "idempotency_fingerprint" text, "version" bigint default 999607347 not null);
CREATE TABLE "grants" ("id" integer primary key autoincrement, "application_id" bigint not null references "applications" ("id") on delete cascade, "user_id" bigint not null references "users" ("id") on delete cascade, "scopes" text not null, "created_at" bigint not null, "revoked_at" bigint);
CREATE TABLE "identities" ("issuer" text not null, "subject" text not null, "user_id" bigint not null references "users" ("id"), "created_at" bigint not null, constraint "identities_once" primary key ("issuer", "subject"), constraint "identities_one_for_user" unique ("issuer", "user_id"));
CREATE TABLE "imports" ("id" text primary key, "user_id" bigint not null references "users" ("id"), "applied" integer not null, "first_entry" bigint not null, "last_entry" bigint not null, "entries" bigint not null, "created_at" bigint not null, "created" text not null, "updated" text not null);
INSERT INTO "imports" VALUES('5a8f8c92-4524-4ddb-8f5c-b92f2e3a3646',1,1,4,5,2,1795757564349,'{"clients":[{"id":2,"name":"Globex"}],"projects":[{"id":2,"client_id":2,"name":"App"}],"tasks":[{"id":3,"name":"Code"}],"links":[{"id":3,"project_id":2,"task_id":3}]}','[]');
INSERT INTO "imports" VALUES('008ac710-3653-419b-99f8-a869f663fbb7',1,0,6,7,2,1795757564858,'{"clients":[],"projects":[],"tasks":[],"links":[]}','[]');
CREATE TABLE "projects" ("id" integer primary key autoincrement, "client_id" bigint references "clients" ("id"), "name" text not null, "active" integer not null);
INSERT INTO "projects" VALUES(1,1,'Site',1);
INSERT INTO "projects" VALUES(2,2,'App',1);
CREATE TABLE "record_changes" ("id" integer primary key autoincrement, "at" bigint not null, "event" text not null, "user_id" bigint not null, "record_id" bigint not null, "administrator" text, "old_fields" text, "new_fields" text);
CREATE TABLE "record_versions" ("id" integer primary key autoincrement, "user_id" bigint not null, "version" bigint not null);
INSERT INTO "record_versions" VALUES(1,1,6403773319);
CREATE TABLE "refresh_tokens" ("id" integer primary key autoincrement, "grant_id" bigint not null references "grants" ("id") on delete cascade, "hash" text not null unique, "parent_id" bigint, "created_at" bigint not null, "expires_at" bigint not null, "replaced_at" bigint);
CREATE TABLE "sessions" ("hash" text primary key, "user_id" bigint not null references "users" ("id") on delete cascade, "expires_at" bigint not null, "created_at" bigint default 0 not null, "address" text, "browser" text);
CREATE TABLE "sign_in_attempts" ("subject" text primary key, "failures" integer not null, "blocks" integer not null, "until" bigint not null, "forget_at" bigint not null);
CREATE TABLE "spent_keys" ("user_id" bigint not null references "users" ("id") on delete cascade, "records" text not null, "idempotency_key" text not null, constraint "spent_keys_once" primary key ("user_id", "records", "idempotency_key"));
INSERT INTO "spent_keys" VALUES(1,'time_entries','f81a96339a42bcbc59b26ece172ac351');
CREATE TABLE "task_links" ("id" integer primary key autoincrement, "project_id" bigint not null references "projects" ("id"), "task_id" bigint not null references "tasks" ("id"), "active" integer not null, constraint "task_links_by_project" unique ("project_id", "task_id"));
INSERT INTO "task_links" VALUES(1,1,1,1);
INSERT INTO "task_links" VALUES(2,1,2,1);
INSERT INTO "task_links" VALUES(3,2,3,1);
CREATE TABLE "tasks" ("id" integer primary key autoincrement, "name" text not null unique);
INSERT INTO "tasks" VALUES(1,'Design');
INSERT INTO "tasks" VALUES(2,'Review');
INSERT INTO "tasks" VALUES(3,'Code');
CREATE TABLE "time_entries" ("id" integer primary key autoincrement, "user_id" bigint not null references "users" ("id"), "time_start" bigint not null, "time_end" bigint, "notes" text, "task_link_id" bigint not null references "task_links" ("id"), "external_id" text, "created_at" bigint not null, "updated_at" bigint not null, "idempotency_key" text, "idempotency_fingerprint" text, "version" bigint default 999607347 not null);
INSERT INTO "time_entries" VALUES(1,1,1714554000000,1714557600000,'first',1,NULL,1795757560710,1795757560710,'8b1289bcb506ba11406153e8a08c162b','3ce91a8e5fa35bb8',942420062);
INSERT INTO "time_entries" VALUES(2,1,1714557600000,1714561200000,'second, edited',1,NULL,1795757561183,1795757561683,'23641cdf2f1a131c9638e207b799671a','af03e4cd4992f027',38683846);
INSERT INTO "time_entries" VALUES(4,1,1714640400000,1714644000000,'imported one',3,'toggl/onbpXbeUO8pAOnTMvc20_m',1795757564349,1795757564349,NULL,NULL,285207578);
INSERT INTO "time_entries" VALUES(5,1,1714644000000,1714647600000,'imported two',3,'toggl/wqNSIyiCoBgyhDgoqJp6jd',1795757564349,1795757564349,NULL,NULL,49851531);
INSERT INTO "time_entries" VALUES(8,1,1714813200000,NULL,'running',1,NULL,1795757565596,1795757565596,'d8ebe653e57c55b7a120c0418703fd36','c00378466ba256dc',508548807);
CREATE TABLE "tokens" ("id" integer primary key autoincrement, "user_id" bigint not null references "users" ("id"), "hash" text not null unique, "scopes" text not null, "name" text not null, "created_at" bigint not null, "expires_at" bigint, "revoked_at" bigint, "refresh_token_id" bigint references "refresh_tokens" ("id") on delete cascade, "used_at" bigint, "kind" text default 'key' not null);
CREATE TABLE "users" ("id" integer primary key autoincrement, "email" text not null unique, "name" text not null, "active" integer not null, "created_at" bigint not null, "password" text);
INSERT INTO "users" VALUES(1,'you@localhost','ann',1,1795757560484,NULL);
CREATE UNIQUE INDEX projects_by_name on projects (coalesce(client_id, 0), name);
CREATE INDEX "time_entries_in_order" on "time_entries" ("user_id", "time_start", "id");
CREATE UNIQUE INDEX "time_entries_by_external_id" on "time_entries" ("user_id", "external_id") where "external_id" is not null;
CREATE INDEX "expenses_in_order" on "expenses" ("user_id", "spent_on", "id");
CREATE UNIQUE INDEX "expenses_by_external_id" on "expenses" ("user_id", "external_id") where "external_id" is not null;
CREATE INDEX "grants_by_application_id" on "grants" ("application_id");
CREATE INDEX "authorization_codes_by_grant_id" on "authorization_codes" ("grant_id");
CREATE INDEX "refresh_tokens_by_grant_id" on "refresh_tokens" ("grant_id");
CREATE INDEX "tokens_by_refresh_token_id" on "tokens" ("refresh_token_id");
CREATE UNIQUE INDEX "time_entries_by_idempotency_key" on "time_entries" ("user_id", "idempotency_key") where "idempotency_key" is not null;
CREATE UNIQUE INDEX "expenses_by_idempotency_key" on "expenses" ("user_id", "idempotency_key") where "idempotency_key" is not null;
CREATE INDEX time_entries_open on time_entries (user_id, time_start) where time_end is null;
CREATE INDEX time_entries_long on time_entries (user_id, time_end, time_start)
    where time_end - time_start > 86400000;
CREATE INDEX "tokens_by_user_id" on "tokens" ("user_id");
CREATE INDEX "grants_by_user_id" on "grants" ("user_id");
CREATE INDEX "sessions_by_user_id" on "sessions" ("user_id");
CREATE INDEX "assignments_by_user_id" on "assignments" ("user_id", "project_id");
CREATE INDEX "authorization_codes_by_expiry" on "authorization_codes" ("expires_at");
CREATE INDEX "refresh_tokens_by_expiry" on "refresh_tokens" ("expires_at");
CREATE INDEX "sessions_by_expiry" on "sessions" ("expires_at");
CREATE INDEX "sign_in_attempts_by_expiry" on "sign_in_attempts" ("forget_at");
CREATE INDEX "audit_log_by_time" on "audit_log" ("at");
CREATE TRIGGER audit_log_no_update before update on audit_log
      begin select raise(abort, 'The audit log is append-only.'); end;
CREATE TRIGGER audit_log_no_delete before delete on audit_log
      begin select raise(abort, 'The audit log is append-only.'); end;
CREATE INDEX time_entries_by_updated_at on time_entries (user_id, updated_at);
CREATE INDEX expenses_by_updated_at on expenses (user_id, updated_at);
CREATE INDEX time_entries_by_task_link_id on time_entries (user_id, task_link_id, time_start, id);
CREATE INDEX expenses_by_project_id on expenses (user_id, project_id, spent_on, id)
      where project_id is not null;
CREATE INDEX "record_versions_by_user_id" on "record_versions" ("user_id");
CREATE TRIGGER time_entries_version_after_insert after insert on time_entries begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = new.user_id;
      insert into record_versions (user_id, version) select new.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = new.user_id);
    end;
CREATE TRIGGER time_entries_version_after_update after update on time_entries begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = new.user_id;
      insert into record_versions (user_id, version) select new.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = new.user_id);
    end;
CREATE TRIGGER time_entries_version_after_delete after delete on time_entries begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = old.user_id;
      insert into record_versions (user_id, version) select old.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = old.user_id);
    end;
CREATE TRIGGER time_entries_version_after_transfer after update of user_id on time_entries when (old.user_id <> new.user_id) begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = old.user_id;
      insert into record_versions (user_id, version) select old.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = old.user_id);
    end;
CREATE TRIGGER expenses_version_after_insert after insert on expenses begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = new.user_id;
      insert into record_versions (user_id, version) select new.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = new.user_id);
    end;
CREATE TRIGGER expenses_version_after_update after update on expenses begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = new.user_id;
      insert into record_versions (user_id, version) select new.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = new.user_id);
    end;
CREATE TRIGGER expenses_version_after_delete after delete on expenses begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = old.user_id;
      insert into record_versions (user_id, version) select old.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = old.user_id);
    end;
CREATE TRIGGER expenses_version_after_transfer after update of user_id on expenses when (old.user_id <> new.user_id) begin
      update record_versions set version = version + 1 + abs(random() % 1000000000)
        where user_id = old.user_id;
      insert into record_versions (user_id, version) select old.user_id, abs(random() % 1000000000)
        where not exists (select 1 from record_versions where user_id = old.user_id);
    end;
CREATE TRIGGER time_entries_entity_tag after update on time_entries when new.version = old.version begin
        update time_entries set version = version + 1 + abs(random() % 1000000000) where id = new.id;
      end;
CREATE TRIGGER expenses_entity_tag after update on expenses when new.version = old.version begin
        update expenses set version = version + 1 + abs(random() % 1000000000) where id = new.id;
      end;
CREATE INDEX "record_changes_by_at" on "record_changes" ("at");
CREATE INDEX "record_changes_by_user_id" on "record_changes" ("user_id");
CREATE TRIGGER time_entries_recorded_insert after insert on time_entries
        when exists (select 1 from users where id = new.user_id and email <> 'you@localhost')
          
      begin
        insert into record_changes (at, event, user_id, record_id, administrator, old_fields, new_fields) values (cast((julianday('now') - 2440587.5) * 86400000 as integer), 'entry_created', new.user_id, new.id, (select name from acting_administrator), null, json_object('time_start', new.time_start, 'time_end', new.time_end, 'notes', new.notes, 'task_link_id', new.task_link_id, 'external_id', new.external_id));
      end;
CREATE TRIGGER time_entries_recorded_update after update on time_entries
        when exists (select 1 from users where id = new.user_id and email <> 'you@localhost')
          and (old.time_start is not new.time_start or old.time_end is not new.time_end or old.notes is not new.notes or old.task_link_id is not new.task_link_id or old.external_id is not new.external_id)
      begin
        insert into record_changes (at, event, user_id, record_id, administrator, old_fields, new_fields) values (cast((julianday('now') - 2440587.5) * 86400000 as integer), 'entry_changed', new.user_id, new.id, (select name from acting_administrator), json_object('time_start', old.time_start, 'time_end', old.time_end, 'notes', old.notes, 'task_link_id', old.task_link_id, 'external_id', old.external_id), json_object('time_start', new.time_start, 'time_end', new.time_end, 'notes', new.notes, 'task_link_id', new.task_link_id, 'external_id', new.external_id));
      end;
CREATE TRIGGER time_entries_recorded_delete after delete on time_entries
        when exists (select 1 from users where id = old.user_id and email <> 'you@localhost')
          
      begin
        insert into record_changes (at, event, user_id, record_id, administrator, old_fields, new_fields) values (cast((julianday('now') - 2440587.5) * 86400000 as integer), 'entry_deleted', old.user_id, old.id, (select name from acting_administrator), json_object('time_start', old.time_start, 'time_end', old.time_end, 'notes', old.notes, 'task_link_id', old.task_link_id, 'external_id', old.external_id), null);
      end;
CREATE TRIGGER expenses_recorded_insert after insert on expenses
        when exists (select 1 from users where id = new.user_id and email <> 'you@localhost')
          
      begin
        insert into record_changes (at, event, user_id, record_id, administrator, old_fields, new_fields) values (cast((julianday('now') - 2440587.5) * 86400000 as integer), 'expense_created', new.user_id, new.id, (select name from acting_administrator), null, json_object('spent_on', new.spent_on, 'amount', new.amount, 'currency', new.currency, 'expense_type_id', new.expense_type_id, 'project_id', new.project_id, 'notes', new.notes, 'external_id', new.external_id));
      end;
CREATE TRIGGER expenses_recorded_update after update on expenses
        when exists (select 1 from users where id = new.user_id and email <> 'you@localhost')
          and (old.spent_on is not new.spent_on or old.amount is not new.amount or old.currency is not new.currency or old.expense_type_id is not new.expense_type_id or old.project_id is not new.project_id or old.notes is not new.notes or old.external_id is not new.external_id)
      begin
        insert into record_changes (at, event, user_id, record_id, administrator, old_fields, new_fields) values (cast((julianday('now') - 2440587.5) * 86400000 as integer), 'expense_changed', new.user_id, new.id, (select name from acting_administrator), json_object('spent_on', old.spent_on, 'amount', old.amount, 'currency', old.currency, 'expense_type_id', old.expense_type_id, 'project_id', old.project_id, 'notes', old.notes, 'external_id', old.external_id), json_object('spent_on', new.spent_on, 'amount', new.amount, 'currency', new.currency, 'expense_type_id', new.expense_type_id, 'project_id', new.project_id, 'notes', new.notes, 'external_id', new.external_id));
      end;
CREATE TRIGGER expenses_recorded_delete after delete on expenses
        when exists (select 1 from users where id = old.user_id and email <> 'you@localhost')
          
      begin
        insert into record_changes (at, event, user_id, record_id, administrator, old_fields, new_fields) values (cast((julianday('now') - 2440587.5) * 86400000 as integer), 'expense_deleted', old.user_id, old.id, (select name from acting_administrator), json_object('spent_on', old.spent_on, 'amount', old.amount, 'currency', old.currency, 'expense_type_id', old.expense_type_id, 'project_id', old.project_id, 'notes', old.notes, 'external_id', old.external_id), null);
      end;
CREATE TRIGGER record_changes_no_update before update on record_changes
      begin select raise(abort, 'The audit log is append-only.'); end;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('users',1);
INSERT INTO "sqlite_sequence" VALUES('clients',2);
INSERT INTO "sqlite_sequence" VALUES('projects',2);
INSERT INTO "sqlite_sequence" VALUES('tasks',3);
INSERT INTO "sqlite_sequence" VALUES('task_links',3);
INSERT INTO "sqlite_sequence" VALUES('record_versions',1);
INSERT INTO "sqlite_sequence" VALUES('record_changes',0);
INSERT INTO "sqlite_sequence" VALUES('time_entries',8);
PRAGMA user_version = 18;
