import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import type { Dialect } from './schema.js'
import { type Sql, toSqlText } from './sql.js'

/** What a request needs of the database. */
export interface Queries {
  readonly dialect: Dialect
  /** The rows that a query answers, or those that a change returns. */
  all<Row>(query: Sql): Promise<Row[]>
  /** Runs `work` in a transaction of its own, which is rolled back when it throws. */
  transaction<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result>
}

/** Queries straight over a SQLite connection that nobody else uses. */
export function createSqliteQueries(sqlite: Sqlite): Queries {
  const statements = new Map<string, SqliteStatement>()
  const run = <Row>(query: Sql): Row[] => {
    const text = toSqlText(query, 'sqlite')
    const statement = statements.get(text) ?? sqlite.prepare(text)
    statements.set(text, statement)
    return statement.all(query.values) as Row[]
  }
  const inside: Queries = {
    dialect: 'sqlite',
    all: async (query) => run(query),
    transaction: (work) => work(inside),
  }
  // A connection has one transaction at a time: what else is asked meanwhile waits for its end.
  let last: Promise<unknown> = Promise.resolve()
  return {
    dialect: 'sqlite',
    async all(query) {
      await last
      return run(query)
    },
    transaction(work) {
      const result = last.then(async () => {
        sqlite.exec('begin immediate')
        try {
          const value = await work(inside)
          sqlite.commit()
          return value
        } catch (error) {
          sqlite.rollBack()
          throw error
        }
      })
      last = result.catch(() => {})
      return result
    },
  }
}
