import { type Queries, runAll } from '../queries.js'
import { identifier, rawSql, sql } from '../sql.js'
import { addColumns, columnTypes, createIndex, createTable, referenceTo } from './tables.js'

/**
 * Distinguishes legacy keys from tokens of administrators and of applications, adds the settings for legacy keys, and
 * details of browser sessions. Revokes what inactive users still have: a reactivation restores no access.
 */
export async function addTokenKinds(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  // See `TokenKind`.
  await addColumns(queries, 'tokens', { kind: sql`${text} default 'key' not null` })
  await runAll(queries, [
    sql`update tokens set kind = 'oauth' where refresh_token_id is not null`,
    sql`update tokens set kind = 'admin' where refresh_token_id is null and name = 'tt admin'`,
  ])
  for (const table of ['tokens', 'grants', 'sessions'])
    await createIndex(queries, `${table}_by_user_id`, table, 'user_id')

  await addColumns(queries, 'company', {
    // Whether the service issues and accepts legacy keys.
    legacy_keys: sql`integer default 1 not null`,
    // The age in days after which legacy keys expire; null for no limit.
    legacy_key_days: sql`integer`,
  })
  await addColumns(queries, 'sessions', {
    created_at: sql`bigint default 0 not null`,
    // The network address at the sign-in.
    address: text,
    // The User-Agent header at the sign-in.
    browser: text,
  })
  const lifetimeMs = 12 * 60 * 60_000
  await queries.all(sql`update sessions set created_at = expires_at - ${lifetimeMs}`)

  const inactive = sql`select id from users where active = 0`
  for (const table of ['tokens', 'grants'])
    await queries.all(sql`
      update ${identifier(table)} set revoked_at = ${Date.now()}
      where revoked_at is null and user_id in (${inactive})`)
  await queries.all(sql`delete from sessions where user_id in (${inactive})`)
}

/** Adds the setting that limits users to their assignments, see `Visibility`. */
export async function addVisibility(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  await addColumns(queries, 'company', { visibility: sql`${text} default 'open' not null` })
  await createIndex(queries, 'assignments_by_user_id', 'assignments', 'user_id', 'project_id')
}

/** Adds the audit log of sign-ins and access. The database itself rejects changes of its rows. */
export async function addAuditLog(queries: Queries): Promise<void> {
  const { id, text } = columnTypes[queries.dialect]
  await createTable(queries, 'audit_log', {
    id,
    at: sql`bigint not null`,
    event: sql`${text} not null`,
    actor: text,
    address: text,
    details: text,
  })
  await createIndex(queries, 'audit_log_by_time', 'audit_log', 'at')
  if (queries.dialect === 'sqlite') {
    for (const change of ['update', 'delete'])
      await queries.all(sql`create trigger ${rawSql(`audit_log_no_${change} before ${change}`)} on audit_log
      begin select raise(abort, 'The audit log is append-only.'); end`)
    return
  }
  await runAll(queries, [
    sql`create function reject_audit_change() returns trigger language plpgsql as
      'begin raise exception ''The audit log is append-only.''; end'`,
    sql`create trigger audit_log_append_only before update or delete or truncate on audit_log
      for each statement execute function reject_audit_change()`,
  ])
}

/** Adds the accounts of users at OpenID Connect providers. */
export async function addIdentities(queries: Queries): Promise<void> {
  const { text } = columnTypes[queries.dialect]
  const columns = {
    // The URL that identifies the provider.
    issuer: sql`${text} not null`,
    // Identifies the account at the provider.
    subject: sql`${text} not null`,
    user_id: referenceTo('users'),
    created_at: sql`bigint not null`,
  }
  await createTable(queries, 'identities', columns, [
    sql`constraint "identities_once" primary key ("issuer", "subject")`,
    sql`constraint "identities_one_for_user" unique ("issuer", "user_id")`,
  ])
}
