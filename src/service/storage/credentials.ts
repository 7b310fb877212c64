import type { Sqlite } from '../../lib/sqlite/connection.js'
import { type Queries, runAll } from './queries.js'
import { identifier, type Sql, sql } from './sql.js'
import { createSqliteQueries } from './sqlite.js'

/** The tables that contain only credentials: tokens, sign-ins, linked accounts, applications with their secrets. References come first. */
const credentialTables = [
  'tokens',
  'refresh_tokens',
  'authorization_codes',
  'sessions',
  'grants',
  'applications',
  'sign_in_attempts',
  'identities',
] as const

/**
 * The tables that a restore leaves as they are: credentials, the audit log, whose rows never change, the versions of
 * records, which increase when a restore replaces them, and what only open transactions have.
 */
export const preservedTables = [
  ...credentialTables,
  'audit_log',
  'record_versions',
  'record_changes',
  'acting_administrator',
] as const

/**
 * Removes all credentials from a copy of a database, and overwrites them in the file. Returns their number: passwords,
 * tokens, sessions and applications.
 */
export async function removeCredentials(database: Sqlite): Promise<number> {
  const queries = createSqliteQueries(database)
  await queries.all(sql`pragma secure_delete = on`)
  return queries.transaction(async (transaction) => {
    const count = async (change: Sql) => (await transaction.all(sql`${change} returning 1 as changed`)).length
    let total = 0
    for (const table of credentialTables) {
      if (!(await hasColumn(transaction, table))) continue
      const deleted = await count(sql`delete from ${identifier(table)}`)
      if (table !== 'sign_in_attempts') total += deleted
    }
    if (!(await hasColumn(transaction, 'users', 'password'))) return total
    return total + (await count(sql`update users set password = null where password is not null`))
  })
}

/** Whether the database, which may have an older schema, has that table or column. */
async function hasColumn(queries: Queries, table: string, column?: string): Promise<boolean> {
  const rows = await queries.all<{ name: string }>(sql`select name from pragma_table_info(${table})`)
  return column === undefined ? rows.length > 0 : rows.some(({ name }) => name === column)
}

/**
 * Runs `replace`, which replaces all rows except those of `credentialTables`, in the open transaction with foreign keys
 * off, and keeps the credentials of the users who still exist.
 */
export async function keepCredentials(database: Sqlite, replace: () => void): Promise<void> {
  const queries = createSqliteQueries(database)
  await queries.all(sql`create temp table previous_users as select id, email, password from main.users`)
  replace()
  await runAll(queries, [
    sql`update main.users set password =
      (select password from previous_users as old where old.id = users.id and old.email = users.email)`,
    sql`create temp table kept_users as
      select id from main.users where (id, email) in (select id, email from previous_users)`,
    sql`delete from main.grants where user_id not in kept_users`,
    sql`delete from main.authorization_codes where grant_id not in (select id from main.grants)`,
    sql`delete from main.refresh_tokens where grant_id not in (select id from main.grants)`,
    sql`delete from main.sessions where user_id not in kept_users`,
    sql`delete from main.identities where user_id not in kept_users`,
    sql`delete from main.tokens where user_id not in kept_users
      or (refresh_token_id is not null and refresh_token_id not in (select id from main.refresh_tokens))`,
    sql`drop table previous_users`,
    sql`drop table kept_users`,
  ])
}
