import { PostgresDialect, type PostgresPool } from 'kysely'
import { TtError } from '../../../lib/errors.js'
import type { RunAtOnce } from '../queries.js'
import { createStorage, type Storage } from '../storage.js'
import { DatabaseUnavailableError, reasonOf, type StorageLimits } from '../unavailable.js'
import { type ConnectionOptions, createPool, type Pool } from './pool.js'

/** Opens the PostgreSQL database at this URL like `openStorage`. */
export async function openPostgres(url: string, options: ConnectionOptions): Promise<Storage> {
  const name = withoutSecrets(url)
  const limits = { statementMs: 0, idleInTransactionMs: 0, lockMs: 0 }
  try {
    const pool = await createPool(url, limits, options)
    const storage = await createPostgresStorage(pool, name, limits)
    return { ...storage, poolState: pool.state }
  } catch (error) {
    if (error instanceof TtError) throw error
    const cause = error instanceof DatabaseUnavailableError ? error.cause : error
    throw new TtError('failure', `The database ${name} cannot be used: ${reasonOf(cause)}.`, {
      hint: 'Check the address, the user and the password, and that the server is running.',
      cause: error,
    })
  }
}

/** Returns the storage over a pool of connections. Throws like `createStorage`. */
export async function createPostgresStorage(
  pool: PostgresPool & Partial<Pick<Pool, 'changeConditions'>>,
  name: string,
  limits?: StorageLimits,
): Promise<Storage> {
  // Single statements of requests do not pass through Kysely, which takes about a tenth of their time.
  const runAtOnce: RunAtOnce = async (text, values) => {
    const connection = await pool.connect()
    try {
      const { rows } = await connection.query<unknown>(text, values)
      return rows
    } finally {
      connection.release()
    }
  }
  const storage = await createStorage(new PostgresDialect({ pool }), 'postgres', name, limits, runAtOnce)
  return { ...storage, queries: { ...storage.queries, changeConditions: pool.changeConditions } }
}

function withoutSecrets(location: string): string {
  if (!URL.canParse(location)) return 'at the specified postgres:// address'
  const { protocol, host, pathname } = new URL(location)
  return `${protocol}//${host}${pathname}`
}
