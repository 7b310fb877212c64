import { TtError } from '../../../lib/errors.js'
import { type Queries, runTransaction } from '../queries.js'
import { allOf, type Sql, toSqlText } from '../sql.js'
import { createStorage, type Storage } from '../storage.js'
import { commandLimits, DatabaseUnavailableError, reasonOf, type StorageLimits } from '../unavailable.js'
import { type ConnectionOptions, createPool, type Pool, type PooledConnection } from './pool.js'

/** Opens the PostgreSQL database at this URL like `openStorage`. */
export async function openPostgres(url: string, options: ConnectionOptions): Promise<Storage> {
  const name = withoutSecrets(url)
  const limits = { ...commandLimits }
  try {
    return await createPostgresStorage(await createPool(url, limits, options), name, limits)
  } catch (error) {
    const isUnavailable = error instanceof DatabaseUnavailableError
    if (error instanceof TtError && !isUnavailable) throw error
    const cause = isUnavailable ? error.cause : error
    throw new TtError('failure', `The database ${name} cannot be used: ${reasonOf(cause)}.`, {
      hint: 'Check the address, the user and the password, and that the server is running.',
      cause: error,
    })
  }
}

/** Returns the storage over a pool of connections. Throws like `createStorage`. */
export async function createPostgresStorage(
  pool: Pool,
  name: string,
  limits: StorageLimits = { ...commandLimits },
): Promise<Storage> {
  const storage = await createStorage(createPostgresQueries(pool), name, limits, pool.end)
  return pool.state ? { ...storage, poolState: pool.state } : storage
}

/** Returns queries over a pool of connections. */
export function createPostgresQueries(pool: Pool): Queries {
  const withConnection = async <Result>(work: (connection: PooledConnection) => Promise<Result>) => {
    const connection = await pool.connect()
    try {
      return await work(connection)
    } finally {
      connection.release()
    }
  }
  const run = async <Row>(connection: PooledConnection, query: Sql) => {
    const { rows } = await connection.query(toSqlText(query, 'postgres'), query.values)
    return rows as Row[]
  }
  const all = <Row>(query: Sql) => withConnection((connection) => run<Row>(connection, query))
  return {
    dialect: 'postgres',
    all,
    read: (conditions, build) => all(build(allOf(...conditions))),
    change: (conditions, build) => all(build(allOf(...conditions, ...(pool.changeConditions ?? [])))),
    transaction: (work) =>
      repeatable(() =>
        withConnection(async (connection) => {
          await connection.query('begin')
          return runTransaction(
            'postgres',
            {
              run: (query) => run(connection, query),
              commit: async () => void (await connection.query('commit')),
              // A connection that cannot roll back is closed at its release.
              rollBack: async () => void (await connection.query('rollback').catch(() => {})),
            },
            work,
          )
        }),
      ),
  }
}

/** Upper bound for the repetitions of a transaction that was rolled back. */
const maxRepetitions = 3

/** Runs a transaction, and runs it again when it was rolled back with a lost connection or because of another one. */
async function repeatable<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let repetition = 0; ; repetition++) {
    try {
      return await transaction()
    } catch (error) {
      const canRepeat = error instanceof DatabaseUnavailableError && error.isRepeatable
      if (!canRepeat || repetition >= maxRepetitions) throw error
    }
  }
}

function withoutSecrets(location: string): string {
  if (!URL.canParse(location)) return 'at the specified postgres:// address'
  const { protocol, host, pathname } = new URL(location)
  return `${protocol}//${host}${pathname}`
}
