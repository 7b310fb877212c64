import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import type { Dialect } from './schema.js'
import { type Sql, toSqlText } from './sql.js'

/** Access to the database for requests. */
export interface Queries {
  readonly dialect: Dialect
  /** Returns the rows of a query, or of the `returning` clause of a change. */
  all<Row>(query: Sql, form?: StatementForm): Promise<Row[]>
  /** Runs `work` in a transaction, which is rolled back when it throws. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
  /**
   * The conditions of changes outside a transaction, such as that a statement begins before the response to its request.
   * Missing where statements are never delayed, and in a transaction, whose statements have no effect without its end.
   */
  readonly changeConditions?: readonly Sql[] | undefined
  /** The queries that these ones belong to: the same for all requests. Missing if these are the same. */
  readonly origin?: Queries | undefined
}

/** What is known about a statement: a query for at most one row, or a change of at most one with `changeConditions`. */
export type StatementForm = 'row' | 'change'

/**
 * Runs a single statement and returns its rows, without the time that Kysely takes. Returns undefined without running it
 * while a SQLite connection belongs to a transaction or another statement, or another process has locked the file.
 */
export type RunAtOnce = (
  text: string,
  values: readonly unknown[],
  form: StatementForm | undefined,
) => unknown[] | undefined | Promise<unknown[] | undefined>

/** Returns queries on a SQLite connection that has no other user. */
export function createSqliteQueries(sqlite: Sqlite): Queries {
  const statements = new Map<string, SqliteStatement>()
  const run = <Row>(query: Sql): Row[] => {
    const text = toSqlText(query, 'sqlite')
    const statement = statements.get(text) ?? sqlite.prepare(text)
    statements.set(text, statement)
    return statement.all(query.values) as Row[]
  }
  const transactionQueries: Queries = {
    dialect: 'sqlite',
    all: async (query) => run(query),
    transaction: (work) => work(transactionQueries),
  }
  // A connection has one transaction at a time: other queries wait for its end.
  let lastTransaction: Promise<unknown> = Promise.resolve()
  return {
    dialect: 'sqlite',
    async all(query) {
      await lastTransaction
      return run(query)
    },
    transaction(work) {
      const result = lastTransaction.then(async () => {
        sqlite.exec('begin immediate')
        try {
          const value = await work(transactionQueries)
          sqlite.commit()
          return value
        } catch (error) {
          sqlite.rollBack()
          throw error
        }
      })
      lastTransaction = result.catch(() => {})
      return result
    },
  }
}
