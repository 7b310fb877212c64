import type { Queries } from './queries.js'
import { sql } from './sql.js'

/** How a token was issued: to an application, as a legacy key for a password, or by an administrator. */
export type TokenKind = 'oauth' | 'key' | 'admin'

/** Whether users see all projects of the company, or only those of their assignments. */
export type Visibility = 'open' | 'assigned'

export type Dialect = 'sqlite' | 'postgres'

/** The number of migrations, which an up-to-date database stores as its version; the compiler compares it with the list. */
export const schemaVersion = 19

/** Returns the number of migrations that the database has. Throws the error of a database that cannot be read. */
export async function schemaVersionOf(queries: Queries): Promise<number> {
  if (queries.dialect === 'sqlite') {
    const [row] = await queries.all<{ user_version: number }>(sql`pragma user_version`)
    return row?.user_version ?? 0
  }
  try {
    const [row] = await queries.all<{ version: number }>(sql`select version from schema_version`)
    return row?.version ?? 0
  } catch (error) {
    const undefinedTable = '42P01'
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return 0
    throw error
  }
}

/** The email address of the only user of a local workspace. */
export const ownerEmail = 'you@localhost'
