import type { Sqlite } from '../../lib/sqlite/connection.js'

/** The tables that contain only credentials: tokens, sign-ins, linked accounts, applications with their secrets. References come first. */
export const credentialTables = [
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
export function removeCredentials(database: Sqlite): number {
  database.exec('PRAGMA secure_delete = ON')
  return database.transaction(() => {
    let count = 0
    for (const table of credentialTables) {
      if (!hasColumn(database, table)) continue
      const { changes } = database.prepare(`DELETE FROM ${table}`).run()
      if (table !== 'sign_in_attempts') count += Number(changes)
    }
    if (!hasColumn(database, 'users', 'password')) return count
    const statement = database.prepare('UPDATE users SET password = NULL WHERE password IS NOT NULL')
    return count + Number(statement.run().changes)
  })
}

/** Whether the database, which may have an older schema, has that table or column. */
function hasColumn(database: Sqlite, table: string, column?: string): boolean {
  const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all([table]) as { name: string }[]
  return column === undefined ? rows.length > 0 : rows.some(({ name }) => name === column)
}

/**
 * Runs `replace`, which replaces all rows except those of `credentialTables`, in the open transaction with foreign keys
 * off, and keeps the credentials of the users who still exist.
 */
export function keepCredentials(database: Sqlite, replace: () => void) {
  database.exec('CREATE TEMP TABLE previous_users AS SELECT id, email, password FROM main.users')
  replace()
  database.exec(`
    UPDATE main.users SET password =
      (SELECT password FROM previous_users AS old WHERE old.id = users.id AND old.email = users.email);
    CREATE TEMP TABLE kept_users AS
      SELECT id FROM main.users WHERE (id, email) IN (SELECT id, email FROM previous_users);
    DELETE FROM main.grants WHERE user_id NOT IN kept_users;
    DELETE FROM main.authorization_codes WHERE grant_id NOT IN (SELECT id FROM main.grants);
    DELETE FROM main.refresh_tokens WHERE grant_id NOT IN (SELECT id FROM main.grants);
    DELETE FROM main.sessions WHERE user_id NOT IN kept_users;
    DELETE FROM main.identities WHERE user_id NOT IN kept_users;
    DELETE FROM main.tokens WHERE user_id NOT IN kept_users
      OR (refresh_token_id IS NOT NULL AND refresh_token_id NOT IN (SELECT id FROM main.refresh_tokens));
    DROP TABLE previous_users;
    DROP TABLE kept_users`)
}
