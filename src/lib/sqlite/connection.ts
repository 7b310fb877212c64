import { commit, rollBack } from './commit.js'
import { type DatabaseFile, withReadableErrors } from './database-errors.js'
import { type Driver, toDriverParameters } from './driver.js'

export interface SqliteStatement {
  /** Whether running it returns rows; Kysely expects this name. */
  readonly reader: boolean
  /** Parameters are text, numbers, bigints, null or Uint8Array; booleans are stored as 0 and 1. */
  all(parameters?: readonly unknown[]): unknown[]
  get(parameters?: readonly unknown[]): unknown
  run(parameters?: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters?: readonly unknown[]): IterableIterator<unknown>
}

/** An open database. Every method throws TtError `failure` in plain words for errors of the file or the disk. */
export interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  /** Rolls the open transaction back, if there is one: SQLite ends a transaction on some errors, such as a full disk. */
  rollBack(): void
  /**
   * Commits the open transaction. Throws TtError `failure` after ending the transaction: unless its hint says that the
   * outcome is unknown, nothing of the transaction is saved.
   */
  commit(): void
  /** Runs `work` inside BEGIN IMMEDIATE … COMMIT, and rolls back when it throws. */
  transaction<Result>(work: () => Result): Result
  close(): void
}

/** Wraps the connection of a driver. */
export function createConnection(file: DatabaseFile, driver: Driver): Sqlite {
  const exec = (sql: string) => withReadableErrors(file, () => void driver.exec(sql))
  return {
    exec,
    prepare: (sql) => prepare(file, driver, sql),
    rollBack: () => rollBack(driver),
    commit: () => commit(file, driver),
    transaction: (work) => inTransaction(file, driver, work),
    close: () => driver.close(),
  }
}

function prepare(file: DatabaseFile, driver: Driver, sql: string): SqliteStatement {
  const statement = withReadableErrors(file, () => driver.prepare(sql))
  const isChange = /^\s*(insert|update|delete|replace)\b/i.test(sql)
  const run = <Result>(work: () => Result): Result =>
    withReadableErrors(file, () =>
      isChange && driver.inTransaction === false ? inTransaction(file, driver, work) : work(),
    )
  return {
    get reader() {
      return returnsRows(sql)
    },
    all: (parameters = []) => run(() => statement.all(...toDriverParameters(parameters))),
    // Not the driver's `get`: libsql adds a field of its own to that row.
    get: (parameters = []) => run(() => statement.all(...toDriverParameters(parameters))[0]),
    run: (parameters = []) => run(() => statement.run(...toDriverParameters(parameters))),
    iterate: (parameters = []) =>
      withReadableErrors(file, () => statement.iterate(...toDriverParameters(parameters))),
  }
}

/**
 * Runs `work` inside BEGIN IMMEDIATE … COMMIT, and rolls back when it throws. libsql does not reset a prepared statement
 * that fails because another process has locked the file, and SQLite then commits nothing more on this connection. In an
 * immediate transaction, that cannot happen.
 */
function inTransaction<Result>(file: DatabaseFile, driver: Driver, work: () => Result): Result {
  withReadableErrors(file, () => void driver.exec('BEGIN IMMEDIATE'))
  try {
    const result = work()
    commit(file, driver)
    return result
  } catch (error) {
    rollBack(driver)
    throw error
  }
}

function returnsRows(sql: string): boolean {
  return /^\s*(select|with|pragma|explain|values)\b/i.test(sql) || /\breturning\b/i.test(sql)
}
