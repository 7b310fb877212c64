import type { BusyWait } from './busy-wait.js'
import { prepareChecked } from './checked-text.js'
import { commit, rollBack } from './commit.js'
import { type DatabaseFile, withReadableErrors } from './database-errors.js'
import { type Driver, type DriverStatement, driverName, toDriverParameters } from './driver.js'

export interface SqliteStatement {
  /** Parameters are text, numbers, bigints, null or Uint8Array; booleans are stored as 0 and 1. */
  all(parameters?: readonly unknown[]): unknown[]
  get(parameters?: readonly unknown[]): unknown
  /** Throws for a statement that returns rows: libsql would leave it in use. */
  run(parameters?: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  /**
   * Returns the result of `work`, which reads the rows one at a time. After it, the statement is no longer in use and
   * there are no more rows, also when `work` has not read all of them or has thrown: a statement in use keeps the
   * database locked, and libsql cannot end one before its last row.
   */
  withRows<Result>(parameters: readonly unknown[], work: (rows: IterableIterator<unknown>) => Result): Result
}

/** An open database. Every method throws TtError `failure` in plain words for errors of the file or the disk. */
export interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  /** Makes statements fail at once while another process keeps the database locked. */
  disableWaiting(): void
  /** Rolls the open transaction back, if there is one: SQLite ends a transaction on some errors, such as a full disk. */
  rollBack(): void
  /**
   * Commits the open transaction. Throws TtError `failure` after ending the transaction: unless its hint says that the
   * outcome is unknown, nothing of the transaction is saved.
   */
  commit(): void
  /** Runs `work` inside BEGIN IMMEDIATE … COMMIT, and rolls back when it throws. */
  transaction<Result>(work: () => Result): Result
  /** Closes the connection; does nothing if it is closed. */
  close(): void
}

const begin = 'BEGIN IMMEDIATE'

/** Wraps the connection of a driver. `beforeClose` runs once, before it is closed. */
export function createConnection(
  file: DatabaseFile,
  driver: Driver,
  wait: BusyWait,
  beforeClose = () => {},
): Sqlite {
  // Only a statement that begins a transaction may be repeated: others may be part of one.
  const exec = (sql: string) =>
    withReadableErrors(file, () =>
      sql === begin ? wait.repeatWhileBusy(() => driver.exec(sql)) : void driver.exec(sql),
    )
  let isClosed = false
  return {
    exec,
    prepare: (sql) =>
      prepare(file, sql, wait, () => {
        // libsql ends the process for a question about a closed connection.
        if (isClosed) throw new Error('The database connection is closed.')
        return driver
      }),
    disableWaiting() {
      wait.disable()
      exec('PRAGMA busy_timeout = 0')
    },
    rollBack: () => rollBack(driver),
    commit: () => commit(file, driver),
    transaction: (work) => inTransaction(file, driver, wait, work),
    close() {
      if (isClosed) return
      isClosed = true
      beforeClose()
      driver.close()
    },
  }
}

function prepare(file: DatabaseFile, sql: string, wait: BusyWait, open: () => Driver): SqliteStatement {
  let prepared: DriverStatement | undefined
  const statement = () => {
    prepared ??= open().prepare(sql)
    return prepared
  }
  const isChange = changes(sql)
  const isQuery = !isChange && /^\s*(select|with)\b/i.test(sql)
  const checked = withReadableErrors(file, () =>
    isQuery && driverName === 'libsql'
      ? prepareChecked(open(), sql, () => statement().columns?.() ?? [], file.replacesInvalidText)
      : undefined,
  )
  if (!checked) withReadableErrors(file, statement)
  const all = (parameters: readonly unknown[]) => {
    const bound = toDriverParameters(parameters)
    return checked?.(bound) ?? statement().all(...bound)
  }
  const run = <Result>(work: () => Result): Result =>
    withReadableErrors(file, () => {
      const driver = open()
      return isChange && driver.inTransaction === false
        ? inTransaction(file, driver, wait, work)
        : wait.repeatWhileBusy(work)
    })
  return {
    all: (parameters = []) => run(() => all(parameters)),
    // Not the driver's `get`: libsql adds a field of its own to that row.
    get: (parameters = []) => run(() => all(parameters)[0]),
    run(parameters = []) {
      if (returnsRows(sql)) throw new Error(`The statement returns rows; read them with all: ${sql}`)
      return run(() => statement().run(...toDriverParameters(parameters)))
    },
    withRows: (parameters, work) =>
      withReadableErrors(file, () => {
        open()
        const rows = statement().iterate(...toDriverParameters(parameters))
        try {
          return work(rows)
        } finally {
          end(rows)
        }
      }),
  }
}

/**
 * Runs `work` inside BEGIN IMMEDIATE … COMMIT, and rolls back when it throws. libsql does not reset a prepared statement
 * that fails because another process has locked the file, and SQLite then commits nothing more on this connection. In an
 * immediate transaction, that cannot happen.
 */
function inTransaction<Result>(
  file: DatabaseFile,
  driver: Driver,
  wait: BusyWait,
  work: () => Result,
): Result {
  withReadableErrors(file, () => wait.repeatWhileBusy(() => driver.exec(begin)))
  try {
    const result = work()
    commit(file, driver)
    return result
  } catch (error) {
    rollBack(driver)
    throw error
  }
}

/** Ends the use of a statement. Rows of libsql end only with the last one. */
function end(rows: IterableIterator<unknown>) {
  if (rows.return) rows.return()
  else while (!rows.next().done);
}

/** Whether a statement changes records, also one that begins with a common table expression. */
function changes(sql: string): boolean {
  if (/^\s*with\b/i.test(sql))
    return /\b(insert|replace)\s+(or\s+\w+\s+)?into\b|\bdelete\s+from\b|\bupdate\s.+\sset\b/is.test(sql)
  return /^\s*(insert|update|delete|replace)\b/i.test(sql)
}

function returnsRows(sql: string): boolean {
  return changes(sql) ? /\breturning\b/i.test(sql) : /^\s*(select|with|pragma|explain|values)\b/i.test(sql)
}
