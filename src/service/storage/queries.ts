import type { Dialect } from './schema.js'
import { allOf, type Sql, sql } from './sql.js'

/** Access to the database. */
export interface Queries {
  readonly dialect: Dialect
  /** Returns the rows of a query, or of the `returning` clause of a change. */
  all<Row>(query: Sql): Promise<Row[]>
  /**
   * Returns the rows of a query. Its `where` clause is what `build` receives: the given conditions, and those of these
   * queries, such as that the token is valid.
   */
  read<Row>(conditions: readonly Sql[], build: (where: Sql) => Sql): Promise<Row[]>
  /**
   * Changes one record, like `read`. Outside a transaction, one of the conditions may be that the change begins before the
   * response to its request.
   */
  change<Row>(conditions: readonly Sql[], build: (where: Sql) => Sql): Promise<Row[]>
  /**
   * Runs `work` in a transaction, which is rolled back when it throws. Runs it again when the transaction was rolled back
   * with a lost connection or because of another one. A transaction within another one is a savepoint.
   */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
  /** The queries that these ones belong to: the same for all requests. Missing if these are the same. */
  readonly origin?: Queries | undefined
}

/** Runs statements without results, one after the other. */
export async function runAll(queries: Queries, statements: readonly Sql[]): Promise<void> {
  for (const statement of statements) await queries.all(statement)
}

/** A connection in a transaction that has begun. */
export interface TransactionConnection {
  run<Row>(query: Sql): Promise<Row[]>
  commit(): Promise<void>
  /** Ends the transaction; never rejects. */
  rollBack(): Promise<void>
}

/** Runs `work` in the transaction of a connection, which it ends. */
export async function runTransaction<Result>(
  dialect: Dialect,
  connection: TransactionConnection,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  let hasEnded = false
  const all = async <Row>(query: Sql) => {
    // The connection may belong to another transaction by now.
    if (hasEnded) throw new Error('The transaction of this statement has ended.')
    return connection.run<Row>(query)
  }
  const queries: Queries = {
    dialect,
    all,
    read: (conditions, build) => all(build(allOf(...conditions))),
    change: (conditions, build) => all(build(allOf(...conditions))),
    transaction: (work) => runNested(queries, work),
  }
  try {
    const result = await work(queries)
    hasEnded = true
    await connection.commit()
    return result
  } catch (error) {
    hasEnded = true
    await connection.rollBack()
    throw error
  }
}

async function runNested<Result>(
  queries: Queries,
  work: (queries: Queries) => Promise<Result>,
): Promise<Result> {
  await queries.all(sql`savepoint nested`)
  try {
    const result = await work(queries)
    await queries.all(sql`release savepoint nested`)
    return result
  } catch (error) {
    // The error may have ended the whole transaction, which then has no savepoint.
    await queries.all(sql`rollback to savepoint nested`).catch(() => {})
    await queries.all(sql`release savepoint nested`).catch(() => {})
    throw error
  }
}
