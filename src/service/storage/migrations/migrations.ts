import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely'
import type { Dialect, Schema, schemaVersion } from '../schema.js'
import { addAuditLog, addIdentities, addTokenKinds, addVisibility } from './access-migrations.js'
import { createTableWithId, required, textType, to } from './column-types.js'
import { addEntityTags } from './entity-tags.js'
import { addRecordChanges } from './record-changes.js'
import { addRecordVersions } from './record-versions.js'

/** A forward migration of the schema. Its version is its position in `migrations`, counted from 1. */
export type Migration = (db: Kysely<Schema>, dialect: Dialect) => Promise<void>

/**
 * Released migrations never change; a new version of the schema adds one at the end. Their number is `schemaVersion`, which
 * schema.ts defines so that the local workspace can read it without loading kysely.
 */
export const migrations = [
  createWorkspace,
  addSignIn,
  addIdempotencyKeys,
  addEntryIndexes,
  addIdempotencyFingerprints,
  addTokenKinds,
  addVisibility,
  addImports,
  addExpiryIndexes,
  addAuditLog,
  addIdentities,
  addUsageIndexes,
  addFilterIndexes,
  addRecordVersions,
  addEntityTags,
  addClosedPeriod,
  addRecordChanges,
  addCatalogChanges,
] as const satisfies readonly Migration[] & { length: typeof schemaVersion }

async function createWorkspace(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  const table = (name: string) => createTableWithId(db, name, dialect)

  await db.schema
    .createTable('company')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', text, required)
    .addColumn('currency', text, required)
    .addColumn('time_zone', text, required)
    .execute()
  await table('users')
    .addColumn('email', text, (column) => column.notNull().unique())
    .addColumn('name', text, required)
    .addColumn('active', 'integer', required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await table('tokens')
    .addColumn('user_id', 'bigint', to('users'))
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('scopes', text, required)
    .addColumn('name', text, required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()

  await table('clients')
    .addColumn('name', text, (column) => column.notNull().unique())
    .execute()
  await table('projects')
    .addColumn('client_id', 'bigint', (column) => column.references('clients.id'))
    .addColumn('name', text, required)
    .addColumn('active', 'integer', required)
    .execute()
  // Two projects without a client must not share a name either, which a plain unique index would allow.
  await sql`create unique index projects_by_name on projects (coalesce(client_id, 0), name)`.execute(db)
  await table('tasks')
    .addColumn('name', text, (column) => column.notNull().unique())
    .execute()
  await table('task_links')
    .addColumn('project_id', 'bigint', to('projects'))
    .addColumn('task_id', 'bigint', to('tasks'))
    .addColumn('active', 'integer', required)
    .addUniqueConstraint('task_links_by_project', ['project_id', 'task_id'])
    .execute()
  await table('assignments')
    .addColumn('user_id', 'bigint', to('users'))
    .addColumn('project_id', 'bigint', to('projects'))
    .addColumn('starts_on', text)
    .addColumn('ends_on', text)
    .execute()

  await table('time_entries')
    .addColumn('user_id', 'bigint', to('users'))
    .addColumn('time_start', 'bigint', required)
    .addColumn('time_end', 'bigint')
    .addColumn('notes', text)
    .addColumn('task_link_id', 'bigint', to('task_links'))
    .addColumn('external_id', text)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await table('expense_types')
    .addColumn('name', text, (column) => column.notNull().unique())
    .addColumn('active', 'integer', required)
    .execute()
  await table('expenses')
    .addColumn('user_id', 'bigint', to('users'))
    .addColumn('spent_on', text, required)
    .addColumn('amount', text, required)
    .addColumn('amount_units', 'bigint', required)
    .addColumn('currency', text, required)
    .addColumn('expense_type_id', 'bigint', (column) => column.references('expense_types.id'))
    .addColumn('project_id', 'bigint', (column) => column.references('projects.id'))
    .addColumn('notes', text)
    .addColumn('external_id', text)
    .addColumn('created_at', 'bigint', required)
    .addColumn('updated_at', 'bigint', required)
    .execute()
  await createUserIndexes(db, 'time_entries', 'time_start')
  await createUserIndexes(db, 'expenses', 'spent_on')
}

async function addSignIn(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  const table = (name: string) => createTableWithId(db, name, dialect)
  const within = (owner: string) => (column: ColumnDefinitionBuilder) => to(owner)(column).onDelete('cascade')

  await db.schema.alterTable('users').addColumn('password', text).execute()
  await table('applications')
    .addColumn('client_id', text, (column) => column.notNull().unique())
    .addColumn('secret_hash', text, required)
    .addColumn('name', text, required)
    .addColumn('redirect_uris', text, required)
    .addColumn('created_at', 'bigint', required)
    .execute()
  await table('grants')
    .addColumn('application_id', 'bigint', within('applications'))
    .addColumn('user_id', 'bigint', within('users'))
    .addColumn('scopes', text, required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('revoked_at', 'bigint')
    .execute()
  await table('authorization_codes')
    .addColumn('grant_id', 'bigint', within('grants'))
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('redirect_uri', text, required)
    .addColumn('challenge', text, required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('used_at', 'bigint')
    .execute()
  await table('refresh_tokens')
    .addColumn('grant_id', 'bigint', within('grants'))
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('parent_id', 'bigint')
    .addColumn('created_at', 'bigint', required)
    .addColumn('expires_at', 'bigint', required)
    .addColumn('replaced_at', 'bigint')
    .execute()
  await db.schema
    .alterTable('tokens')
    .addColumn('refresh_token_id', 'bigint', (column) =>
      column.references('refresh_tokens.id').onDelete('cascade'),
    )
    .execute()
  await db.schema.alterTable('tokens').addColumn('used_at', 'bigint').execute()
  await db.schema
    .createTable('sessions')
    .addColumn('hash', text, (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', within('users'))
    .addColumn('expires_at', 'bigint', required)
    .execute()
  await db.schema
    .createTable('sign_in_attempts')
    .addColumn('subject', text, (column) => column.primaryKey())
    .addColumn('failures', 'integer', required)
    .addColumn('blocks', 'integer', required)
    .addColumn('until', 'bigint', required)
    .addColumn('forget_at', 'bigint', required)
    .execute()
  const owned = { grants: 'application_id', authorization_codes: 'grant_id', refresh_tokens: 'grant_id' }
  for (const [name, owner] of Object.entries({ ...owned, tokens: 'refresh_token_id' })) {
    await db.schema.createIndex(`${name}_by_${owner}`).on(name).column(owner).execute()
  }
}

async function addIdempotencyKeys(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  for (const table of ['time_entries', 'expenses']) {
    await db.schema.alterTable(table).addColumn('idempotency_key', textType(dialect)).execute()
    await createUniqueUserIndex(db, table, 'idempotency_key')
  }
  const text = textType(dialect)
  await db.schema
    .createTable('spent_keys')
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('records', text, required)
    .addColumn('idempotency_key', text, required)
    .addPrimaryKeyConstraint('spent_keys_once', ['user_id', 'records', 'idempotency_key'])
    .execute()
}

/**
 * Indexes the few entries that start long before a period and reach into it: those without an end, and those longer than
 * a day (`longEntries` in resources/time-entries.ts). All others are found by their start.
 */
async function addEntryIndexes(db: Kysely<Schema>): Promise<void> {
  await sql`create index time_entries_open on time_entries (user_id, time_start) where time_end is null`.execute(
    db,
  )
  await sql`create index time_entries_long on time_entries (user_id, time_end, time_start)
    where time_end - time_start > 86400000`.execute(db)
}

async function addIdempotencyFingerprints(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  for (const table of ['time_entries', 'expenses'])
    await db.schema.alterTable(table).addColumn('idempotency_fingerprint', textType(dialect)).execute()
}

async function addImports(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  await db.schema
    .createTable('imports')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('user_id', 'bigint', to('users'))
    .addColumn('applied', 'integer', required)
    .addColumn('first_entry', 'bigint', required)
    .addColumn('last_entry', 'bigint', required)
    .addColumn('entries', 'bigint', required)
    .addColumn('created_at', 'bigint', required)
    .addColumn('created', text, required)
    .addColumn('updated', text, required)
    .execute()
}

/** Indexes the times by which records expire, so that the clean-up reads no others. */
async function addExpiryIndexes(db: Kysely<Schema>): Promise<void> {
  const columns = { authorization_codes: 'expires_at', refresh_tokens: 'expires_at', sessions: 'expires_at' }
  for (const [table, column] of Object.entries({ ...columns, sign_in_attempts: 'forget_at' }))
    await db.schema.createIndex(`${table}_by_expiry`).on(table).column(column).execute()
}

/** Indexes which task links and projects a user has used, so that `visibility assigned` reads one record for each. */
async function addUsageIndexes(db: Kysely<Schema>): Promise<void> {
  const create = (table: string, column: string) =>
    db.schema.createIndex(`${table}_by_${column}`).on(table).columns(['user_id', column])
  await create('time_entries', 'task_link_id').execute()
  await create('expenses', 'project_id').where('project_id', 'is not', null).execute()
}

/**
 * Indexes the fields of records by which clients filter lists: the time of the last change, and the task link or project
 * together with the order of lists. A filter by the end of an entry uses the index by its start (`earliestStart`).
 */
async function addFilterIndexes(db: Kysely<Schema>): Promise<void> {
  const statements = [
    'create index time_entries_by_updated_at on time_entries (user_id, updated_at)',
    'create index expenses_by_updated_at on expenses (user_id, updated_at)',
    'drop index time_entries_by_task_link_id',
    'create index time_entries_by_task_link_id on time_entries (user_id, task_link_id, time_start, id)',
    'drop index expenses_by_project_id',
    `create index expenses_by_project_id on expenses (user_id, project_id, spent_on, id)
      where project_id is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** Adds the end of the closed period, as a day for people and expenses, and as an instant for entries. */
async function addClosedPeriod(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  await db.schema.alterTable('company').addColumn('closed_until', textType(dialect)).execute()
  await db.schema.alterTable('company').addColumn('closed_before', 'bigint').execute()
}

/** Adds archived clients, and the changes of the catalog that a local workspace can undo. */
async function addCatalogChanges(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const text = textType(dialect)
  const whole = (value: number) => (column: ColumnDefinitionBuilder) => column.notNull().defaultTo(value)
  await db.schema.alterTable('clients').addColumn('active', 'integer', whole(1)).execute()
  await db.schema
    .createTable('catalog_changes')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('title', text)
    .addColumn('at', 'bigint', required)
    .addColumn('applied', 'integer', required)
    .addColumn('steps', text, required)
    .addColumn('settings', text)
    .addColumn('is_recorded', 'integer', whole(0))
    .execute()
}

async function createUserIndexes(db: Kysely<Schema>, table: string, orderColumn: string): Promise<void> {
  await db.schema.createIndex(`${table}_in_order`).on(table).columns(['user_id', orderColumn, 'id']).execute()
  await createUniqueUserIndex(db, table, 'external_id')
}

function createUniqueUserIndex(db: Kysely<Schema>, table: string, column: string): Promise<void> {
  return db.schema
    .createIndex(`${table}_by_${column}`)
    .on(table)
    .columns(['user_id', column])
    .unique()
    .where(sql.ref(column), 'is not', null)
    .execute()
}
