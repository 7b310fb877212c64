import { type Queries, runAll } from '../queries.js'
import type { schemaVersion } from '../schema.js'
import { identifier, sql } from '../sql.js'
import { addAuditLog, addIdentities, addTokenKinds, addVisibility } from './access-migrations.js'
import { addEntityTags } from './entity-tags.js'
import { addRecordChanges } from './record-changes.js'
import { addRecordVersions } from './record-versions.js'
import { addColumns, columnTypes, createIndex, createTable, referenceTo } from './tables.js'

/**
 * A forward migration of the schema. Its version is its position in `migrations`, counted from 1.
 *
 * Instants are epoch milliseconds, days YYYY-MM-DD, booleans 0 and 1. A list in a text is separated by spaces.
 */
export type Migration = (queries: Queries) => Promise<void>

/**
 * Released migrations never change; a new version of the schema adds one at the end. Their number is `schemaVersion`, which
 * schema.ts defines so that the local workspace can read it without loading them.
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
  addUndoneEntries,
] as const satisfies readonly Migration[] & { length: typeof schemaVersion }

async function createWorkspace(queries: Queries): Promise<void> {
  const { id, text } = columnTypes[queries.dialect]
  await createTable(queries, 'company', {
    id: sql`integer primary key`,
    name: sql`${text} not null`,
    currency: sql`${text} not null`,
    time_zone: sql`${text} not null`,
  })
  await createTable(queries, 'users', {
    id,
    email: sql`${text} not null unique`,
    name: sql`${text} not null`,
    active: sql`integer not null`,
    created_at: sql`bigint not null`,
  })
  await createTable(queries, 'tokens', {
    id,
    user_id: referenceTo('users'),
    // The result of `hashToken`; the token itself is not stored.
    hash: sql`${text} not null unique`,
    scopes: sql`${text} not null`,
    name: sql`${text} not null`,
    created_at: sql`bigint not null`,
    expires_at: sql`bigint`,
    revoked_at: sql`bigint`,
  })

  await createTable(queries, 'clients', { id, name: sql`${text} not null unique` })
  await createTable(queries, 'projects', {
    id,
    client_id: sql`bigint references "clients" ("id")`,
    name: sql`${text} not null`,
    active: sql`integer not null`,
  })
  // Two projects without a client must not share a name either, which a plain unique index would allow.
  await queries.all(sql`create unique index projects_by_name on projects (coalesce(client_id, 0), name)`)
  await createTable(queries, 'tasks', { id, name: sql`${text} not null unique` })
  const links = { id, project_id: referenceTo('projects'), task_id: referenceTo('tasks') }
  await createTable(queries, 'task_links', { ...links, active: sql`integer not null` }, [
    sql`constraint "task_links_by_project" unique ("project_id", "task_id")`,
  ])
  await createTable(queries, 'assignments', {
    id,
    user_id: referenceTo('users'),
    project_id: referenceTo('projects'),
    starts_on: text,
    ends_on: text,
  })

  await createTable(queries, 'time_entries', {
    id,
    user_id: referenceTo('users'),
    time_start: sql`bigint not null`,
    time_end: sql`bigint`,
    notes: text,
    task_link_id: referenceTo('task_links'),
    external_id: text,
    created_at: sql`bigint not null`,
    updated_at: sql`bigint not null`,
  })
  await createTable(queries, 'expense_types', {
    id,
    name: sql`${text} not null unique`,
    active: sql`integer not null`,
  })
  await createTable(queries, 'expenses', {
    id,
    user_id: referenceTo('users'),
    spent_on: sql`${text} not null`,
    // A decimal number.
    amount: sql`${text} not null`,
    // The same amount in ten-thousandths, for numeric comparisons.
    amount_units: sql`bigint not null`,
    currency: sql`${text} not null`,
    expense_type_id: sql`bigint references "expense_types" ("id")`,
    project_id: sql`bigint references "projects" ("id")`,
    notes: text,
    external_id: text,
    created_at: sql`bigint not null`,
    updated_at: sql`bigint not null`,
  })
  for (const [table, time] of [
    ['time_entries', 'time_start'],
    ['expenses', 'spent_on'],
  ] as const) {
    await createIndex(queries, `${table}_in_order`, table, 'user_id', time, 'id')
    await createUniqueUserIndex(queries, table, 'external_id')
  }
}

async function addSignIn(queries: Queries): Promise<void> {
  const { id, text } = columnTypes[queries.dialect]
  const within = (owner: string) => sql`${referenceTo(owner)} on delete cascade`
  // The result of `hashPassword`; null for a user without a password.
  await addColumns(queries, 'users', { password: text })
  // OAuth applications.
  await createTable(queries, 'applications', {
    id,
    client_id: sql`${text} not null unique`,
    // The SHA-256 of the client secret; empty for a public application, which has none.
    secret_hash: sql`${text} not null`,
    name: sql`${text} not null`,
    // A list, exactly as registered.
    redirect_uris: sql`${text} not null`,
    created_at: sql`bigint not null`,
  })
  // The consents of users to applications. All tokens of one grant are one token family.
  await createTable(queries, 'grants', {
    id,
    application_id: within('applications'),
    user_id: within('users'),
    scopes: sql`${text} not null`,
    created_at: sql`bigint not null`,
    revoked_at: sql`bigint`,
  })
  await createTable(queries, 'authorization_codes', {
    id,
    grant_id: within('grants'),
    hash: sql`${text} not null unique`,
    redirect_uri: sql`${text} not null`,
    // S256 (RFC 7636).
    challenge: sql`${text} not null`,
    expires_at: sql`bigint not null`,
    used_at: sql`bigint`,
  })
  await createTable(queries, 'refresh_tokens', {
    id,
    grant_id: within('grants'),
    hash: sql`${text} not null unique`,
    // The refresh token that it replaced; null for the first of a family.
    parent_id: sql`bigint`,
    created_at: sql`bigint not null`,
    expires_at: sql`bigint not null`,
    // When another token replaced it; null for the newest of a family.
    replaced_at: sql`bigint`,
  })
  await addColumns(queries, 'tokens', {
    // The refresh token that was issued with it; null for a token that was not issued to an application.
    refresh_token_id: sql`bigint references "refresh_tokens" ("id") on delete cascade`,
    // When it was last used, to the hour; null until the first use.
    used_at: sql`bigint`,
  })
  // The browsers in which a user is signed in.
  await createTable(queries, 'sessions', {
    hash: sql`${text} primary key`,
    user_id: within('users'),
    expires_at: sql`bigint not null`,
  })
  // Failed attempts to sign in, counted per account and address.
  await createTable(queries, 'sign_in_attempts', {
    // SHA-256 of the account, the network or both that are counted.
    subject: sql`${text} primary key`,
    failures: sql`integer not null`,
    // The number of blocks so far.
    blocks: sql`integer not null`,
    // The end of the counting window or of the block.
    until: sql`bigint not null`,
    // When the number of blocks is reset.
    forget_at: sql`bigint not null`,
  })
  const owned = { grants: 'application_id', authorization_codes: 'grant_id', refresh_tokens: 'grant_id' }
  for (const [table, owner] of Object.entries({ ...owned, tokens: 'refresh_token_id' }))
    await createIndex(queries, `${table}_by_${owner}`, table, owner)
}

async function addIdempotencyKeys(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  for (const table of ['time_entries', 'expenses']) {
    // The Idempotency-Key of its create request; never part of a response.
    await addColumns(queries, table, { idempotency_key: text })
    await createUniqueUserIndex(queries, table, 'idempotency_key')
  }
  // The Idempotency-Keys of deleted records: a late create request must not create them again.
  const columns = {
    user_id: sql`${referenceTo('users')} on delete cascade`,
    // The table of the deleted record.
    records: sql`${text} not null`,
    idempotency_key: sql`${text} not null`,
  }
  await createTable(queries, 'spent_keys', columns, [
    sql`constraint "spent_keys_once" primary key ("user_id", "records", "idempotency_key")`,
  ])
}

/**
 * Indexes the few entries that start long before a period and reach into it: those without an end, and those longer than
 * a day (`longEntries` in resources/time-entries.ts). All others are found by their start.
 */
async function addEntryIndexes(queries: Queries): Promise<void> {
  await runAll(queries, [
    sql`create index time_entries_open on time_entries (user_id, time_start) where time_end is null`,
    sql`create index time_entries_long on time_entries (user_id, time_end, time_start)
    where time_end - time_start > 86400000`,
  ])
}

/** Adds what identifies the fields of the create request with an Idempotency-Key; null for the keys of earlier versions. */
async function addIdempotencyFingerprints(queries: Queries): Promise<void> {
  for (const table of ['time_entries', 'expenses'])
    await addColumns(queries, table, { idempotency_fingerprint: columnTypes[queries.dialect].text })
}

/** Adds the imports into the local workspace; unused in the database of a served service. */
async function addImports(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  await createTable(queries, 'imports', {
    // A UUID.
    id: sql`${text} primary key`,
    user_id: referenceTo('users'),
    // Whether its entries are in `time_entries`; 0 after it was undone.
    applied: sql`integer not null`,
    // The IDs that were reserved for the entries that it creates, in order of their start.
    first_entry: sql`bigint not null`,
    last_entry: sql`bigint not null`,
    // The number of entries that it has created.
    entries: sql`bigint not null`,
    // When it was last applied.
    created_at: sql`bigint not null`,
    // JSON: the clients, projects, tasks and task links that it has created.
    created: sql`${text} not null`,
    // JSON: the entries that it has updated, as they were before.
    updated: sql`${text} not null`,
  })
}

/** Indexes the times by which records expire, so that the clean-up reads no others. */
async function addExpiryIndexes(queries: Queries): Promise<void> {
  const columns = { authorization_codes: 'expires_at', refresh_tokens: 'expires_at', sessions: 'expires_at' }
  for (const [table, column] of Object.entries({ ...columns, sign_in_attempts: 'forget_at' }))
    await createIndex(queries, `${table}_by_expiry`, table, column)
}

/** Indexes which task links and projects a user has used, so that `visibility assigned` reads one record for each. */
async function addUsageIndexes(queries: Queries): Promise<void> {
  await createIndex(queries, 'time_entries_by_task_link_id', 'time_entries', 'user_id', 'task_link_id')
  await queries.all(
    sql`create index expenses_by_project_id on expenses (user_id, project_id) where project_id is not null`,
  )
}

/**
 * Indexes the fields of records by which clients filter lists: the time of the last change, and the task link or project
 * together with the order of lists. A filter by the end of an entry uses the index by its start (`earliestStart`).
 */
async function addFilterIndexes(queries: Queries): Promise<void> {
  await runAll(queries, [
    sql`create index time_entries_by_updated_at on time_entries (user_id, updated_at)`,
    sql`create index expenses_by_updated_at on expenses (user_id, updated_at)`,
    sql`drop index time_entries_by_task_link_id`,
    sql`create index time_entries_by_task_link_id on time_entries (user_id, task_link_id, time_start, id)`,
    sql`drop index expenses_by_project_id`,
    sql`create index expenses_by_project_id on expenses (user_id, project_id, spent_on, id)
      where project_id is not null`,
  ])
}

/** Adds the end of the closed period, whose entries and expenses are read-only; null if there is none. */
async function addClosedPeriod(queries: Queries): Promise<void> {
  await addColumns(queries, 'company', {
    // The last day, for people and expenses.
    closed_until: columnTypes[queries.dialect].text,
    // The first instant after that day in the time zone of the company, for entries.
    closed_before: sql`bigint`,
  })
}

/** Adds archived clients, and the changes of the catalog that a local workspace can undo; unused in a served service. */
async function addCatalogChanges(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  await addColumns(queries, 'clients', { active: sql`integer default 1 not null` })
  await createTable(queries, 'catalog_changes', {
    // A UUID.
    id: sql`${text} primary key`,
    // The title in the history; null for records that a change of entries has created.
    title: text,
    at: sql`bigint not null`,
    // 0 after it was undone.
    applied: sql`integer not null`,
    // JSON: its parts, see `CatalogStep`.
    steps: sql`${text} not null`,
    // JSON: the changes of settings that belong to it; null without any.
    settings: text,
    // Whether the history has it; unused since version 19, which records both in one transaction.
    is_recorded: sql`integer default 0 not null`,
  })
}

/**
 * Adds the entries of undone imports into the local workspace, which `tt redo` creates again; unused in the database of a
 * served service. Since this version, the database has the tables of the client too (src/outbox/cache/workspace-state.ts).
 */
async function addUndoneEntries(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  await createTable(
    queries,
    'undone_entries',
    {
      import: sql`${text} not null`,
      // The columns of `time_entries`.
      id: sql`bigint not null`,
      time_start: sql`bigint not null`,
      time_end: sql`bigint`,
      notes: text,
      task_link_id: sql`bigint`,
      external_id: text,
      created_at: sql`bigint not null`,
      updated_at: sql`bigint not null`,
    },
    [sql`primary key ("import", "id")`],
  )
}

/** Makes the values of a column unique for each user, except null. */
async function createUniqueUserIndex(queries: Queries, table: string, column: string): Promise<void> {
  const [name, value] = [identifier(`${table}_by_${column}`), identifier(column)]
  await queries.all(
    sql`create unique index ${name} on ${identifier(table)} ("user_id", ${value}) where ${value} is not null`,
  )
}
