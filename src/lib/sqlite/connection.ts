import { prepareChecked } from './checked-text.js'
import { type DatabaseFile, withReadableErrors } from './database-errors.js'
import { type Driver, type DriverStatement, driverName, toDriverParameters } from './driver.js'
import { type BusyWait, begin, Transactions } from './transactions.js'

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
  /** Runs statements that fail at once while another process keeps the database locked: the caller waits by itself. */
  withoutWaiting<Result>(work: () => Result): Result
  /** Rolls the open transaction back, if there is one: SQLite ends a transaction on some errors, such as a full disk. */
  rollBack(): void
  /**
   * Commits the open transaction. Throws TtError `failure` after ending the transaction: unless its hint says that the
   * outcome is unknown, nothing of the transaction is saved.
   */
  commit(): void
  /**
   * Runs `work` inside BEGIN IMMEDIATE … COMMIT, and rolls back when it throws. Within an open transaction, it is a
   * savepoint. After an error that ends the whole transaction, such as a full disk, no statement of it is executed any more.
   */
  transaction<Result>(work: () => Result): Result
  /** Like `transaction`, for changes of temporary tables alone: other processes can write in the meantime. */
  deferred<Result>(work: () => Result): Result
  /**
   * Runs asynchronous work in a transaction, which all statements of this connection belong to until it ends. Waits for
   * another process, or another transaction of this connection, without blocking this process. Within another one, it is
   * a savepoint.
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>
  /** Runs `action` once the open transaction is committed, not if it is rolled back; at once without a transaction. */
  afterCommit(action: () => void): void
  /** Whether `exclusively` has begun a transaction. */
  readonly isExclusive: boolean
  /** Closes the connection; does nothing if it is closed. */
  close(): void
}

/** Wraps the connection of a driver. `closeDriver` runs once, to close it. */
export function createConnection(
  file: DatabaseFile,
  driver: Driver,
  wait: BusyWait,
  closeDriver = () => driver.close(),
): Sqlite {
  const transactions = new Transactions(file, driver, wait)
  // Only a statement that begins a transaction may be repeated: others may be part of one.
  const exec = (sql: string) =>
    sql === begin
      ? transactions.begin()
      : withReadableErrors(file, () => transactions.run(() => void driver.exec(sql)))
  let isClosed = false
  return {
    exec,
    prepare: (sql) =>
      prepare(file, sql, { wait, transactions }, () => {
        // libsql ends the process for a question about a closed connection.
        if (isClosed) throw new Error('The database connection is closed.')
        return driver
      }),
    withoutWaiting: (work) => transactions.withoutWaiting(work),
    rollBack: () => transactions.rollBack(),
    commit: () => transactions.commit(),
    transaction: (work) => transactions.inTransaction(work),
    deferred: (work) => transactions.inTransaction(work, 'BEGIN'),
    exclusively: (work) => transactions.exclusively(work),
    afterCommit: (action) => transactions.afterCommit(action),
    get isExclusive() {
      return transactions.isExclusive
    },
    close() {
      if (isClosed) return
      isClosed = true
      closeDriver()
    },
  }
}

function prepare(
  file: DatabaseFile,
  sql: string,
  { wait, transactions }: { wait: BusyWait; transactions: Transactions },
  open: () => Driver,
): SqliteStatement {
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
      return isChange && driver.inTransaction === false && !transactions.isOpen
        ? transactions.inTransaction(work)
        : wait.repeatWhileBusy(() => transactions.run(work))
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
        const rows = transactions.run(() => statement().iterate(...toDriverParameters(parameters)))
        try {
          return work(rows)
        } finally {
          end(rows)
        }
      }),
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
