import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { TtError } from '../../../lib/errors.js'
import type { PoolState } from '../../operation/metrics.js'
import { type Queries, runTransaction } from '../queries.js'
import { allOf, type Sql, toSqlText } from '../sql.js'
import { createStorage, type Storage } from '../storage.js'
import { commandLimits, DatabaseUnavailableError, reasonOf, type StorageLimits } from '../unavailable.js'
import {
  beginsInTime,
  Connection,
  DatabaseClock,
  isConnectionLoss,
  isRefusal,
  type StatementLimits,
} from './connection.js'

/** How to connect to PostgreSQL. */
export interface ConnectionOptions {
  /** Upper bound for open connections; default 10. */
  poolSize?: number
  /** Time to wait for a free connection or for a new one, in milliseconds; default 3,000. */
  connectMs?: number
  /** Time without traffic after which TCP checks whether the other end still exists, in milliseconds; default 10,000. */
  keepAliveMs?: number
  /** Whether statements are prepared once per connection. Only for direct connections to PostgreSQL, without a pooler. */
  preparesStatements?: boolean
}

const defaults = { poolSize: 10, connectMs: 3000, keepAliveMs: 10_000, preparesStatements: false }

/** Connections to a PostgreSQL server. */
export interface Pool {
  connect(): Promise<PooledConnection>
  end(): Promise<void>
  state?(): PoolState
  /** See `Queries`. */
  changeConditions?: readonly Sql[]
}

/** A connection out of a pool, until its release. */
export interface PooledConnection {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  release(): void
}

/** Pause before another attempt to connect, in milliseconds. */
const reconnectPauseMs = 50

/**
 * Returns a pool of connections to the database at `url` that survives lost connections. It sets nothing when it connects,
 * so that PgBouncer can be in between in transaction mode. Its errors are DatabaseUnavailableError where waiting helps.
 */
export async function createPool(
  url: string,
  limits: Pick<StorageLimits, 'statementMs' | 'idleInTransactionMs'>,
  options: ConnectionOptions = {},
): Promise<Pool> {
  const { poolSize, connectMs, keepAliveMs, preparesStatements } = { ...defaults, ...options }
  const { default: pg } = await import('pg')
  const int8 = 20
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: {
      // Every integer fits a JavaScript number exactly, except amounts, which are never read.
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // The pool replaces broken connections. It listens for errors of idle ones only; without a listener, the error of any
  // other connection would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const acquire = () => connect(() => pool.connect(), connectMs)
  const statementLimits: StatementLimits = {
    get statementMs() {
      return limits.statementMs
    },
    get idleInTransactionMs() {
      return limits.idleInTransactionMs
    },
    clock: new DatabaseClock(),
    nameOf: preparesStatements ? createStatementNames() : () => undefined,
  }
  return {
    connect: async () => new Connection(await acquire(), acquire, statementLimits),
    end: () => pool.end(),
    changeConditions: [beginsInTime],
    state: () => ({
      active: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  }
}

/** Connects, and repeats that for up to `connectMs`: nothing has been sent yet. Throws DatabaseUnavailableError. */
async function connect(open: () => Promise<PoolClient>, connectMs: number): Promise<PoolClient> {
  const deadlineMs = performance.now() + connectMs
  for (;;) {
    try {
      return await open()
    } catch (error) {
      const hasTimeLeft = performance.now() + reconnectPauseMs < deadlineMs
      if (!hasTimeLeft || isRefusal(error) || !isConnectionLoss(error))
        throw new DatabaseUnavailableError(error)
    }
    await sleep(reconnectPauseMs)
  }
}

/** Upper bound for prepared statements of a connection. The program itself has fewer; filters add more. */
const maxPreparedStatements = 200

/** Returns the function that names statements to prepare; undefined for the rest of very many different ones. */
function createStatementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= maxPreparedStatements) return known
    const name = `tt_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
}

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
