import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.js'
import { createTableWithId, required, textType, to } from './column-types.js'

/**
 * Distinguishes legacy keys from tokens of administrators and of applications, adds the settings for legacy keys, and
 * details of browser sessions. Revokes what inactive users still have: a reactivation restores no access.
 */
export async function addTokenKinds(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  await db.schema
    .alterTable('tokens')
    .addColumn('kind', text, (column) => column.notNull().defaultTo('key'))
    .execute()
  await db.updateTable('tokens').set({ kind: 'oauth' }).where('refresh_token_id', 'is not', null).execute()
  await db
    .updateTable('tokens')
    .set({ kind: 'admin' })
    .where('refresh_token_id', 'is', null)
    .where('name', '=', 'tt admin')
    .execute()
  for (const table of ['tokens', 'grants', 'sessions'])
    await db.schema.createIndex(`${table}_by_user_id`).on(table).column('user_id').execute()

  await db.schema
    .alterTable('company')
    .addColumn('legacy_keys', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('company').addColumn('legacy_key_days', 'integer').execute()

  await db.schema
    .alterTable('sessions')
    .addColumn('created_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('sessions').addColumn('address', text).execute()
  await db.schema.alterTable('sessions').addColumn('browser', text).execute()
  const lifetimeMs = 12 * 60 * 60_000
  await db
    .updateTable('sessions')
    .set((session) => ({ created_at: session('expires_at', '-', lifetimeMs) }))
    .execute()

  const now = Date.now()
  const inactive = db.selectFrom('users').select('id').where('active', '=', 0)
  for (const table of ['tokens', 'grants'] as const) {
    await db
      .updateTable(table)
      .set({ revoked_at: now })
      .where('revoked_at', 'is', null)
      .where('user_id', 'in', inactive)
      .execute()
  }
  await db.deleteFrom('sessions').where('user_id', 'in', inactive).execute()
}

/** Adds the setting that limits users to their assignments. */
export async function addVisibility(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  await db.schema
    .alterTable('company')
    .addColumn('visibility', textType(dialect), (column) => column.notNull().defaultTo('open'))
    .execute()
  await db.schema
    .createIndex('assignments_by_user_id')
    .on('assignments')
    .columns(['user_id', 'project_id'])
    .execute()
}

/** Adds the audit log. The database itself rejects changes of its rows. */
export async function addAuditLog(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  await createTableWithId(db, 'audit_log', dialect)
    .addColumn('at', 'bigint', required)
    .addColumn('event', text, required)
    .addColumn('actor', text)
    .addColumn('address', text)
    .addColumn('details', text)
    .execute()
  await db.schema.createIndex('audit_log_by_time').on('audit_log').column('at').execute()
  if (dialect === 'postgres') {
    await sql`create function reject_audit_change() returns trigger language plpgsql as
      'begin raise exception ''The audit log is append-only.''; end'`.execute(db)
    await sql`create trigger audit_log_append_only before update or delete or truncate on audit_log
      for each statement execute function reject_audit_change()`.execute(db)
    return
  }
  for (const change of ['update', 'delete'])
    await sql`create trigger ${sql.raw(`audit_log_no_${change}`)} before ${sql.raw(change)} on audit_log
      begin select raise(abort, 'The audit log is append-only.'); end`.execute(db)
}

/** Adds the accounts of users at OpenID Connect providers. */
export async function addIdentities(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  await db.schema
    .createTable('identities')
    .addColumn('issuer', text, required)
    .addColumn('subject', text, required)
    .addColumn('user_id', 'bigint', to('users'))
    .addColumn('created_at', 'bigint', required)
    .addPrimaryKeyConstraint('identities_once', ['issuer', 'subject'])
    .addUniqueConstraint('identities_one_for_user', ['issuer', 'user_id'])
    .execute()
}
