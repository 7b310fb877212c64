import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteDialect,
} from 'kysely'
import { watchWait } from '../../lib/lock-wait.js'
import { monotonicMs } from '../../lib/monotonic-clock.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import { isBusyError } from '../../lib/sqlite/database-errors.js'
import type { RunAtOnce, StatementForm } from './queries.js'
import { DatabaseUnavailableError, type StorageLimits } from './unavailable.js'

/**
 * Returns the dialect of Kysely over a SQLite connection. While another process has locked the file, statements wait for
 * up to `limits.lockMs` without blocking this process, and then throw DatabaseUnavailableError.
 */
export function createSqliteDialect(
  sqlite: Sqlite,
  limits: Pick<StorageLimits, 'lockMs'>,
): SqliteDialect & { runAtOnce: RunAtOnce } {
  // SQLite would wait in a system call, and with it all other requests.
  sqlite.disableWaiting()
  const database = forKysely(sqlite)
  const dialect = new SqliteDialect({ database })
  const createDriver = dialect.createDriver.bind(dialect)
  const usage = { isInUse: false }
  const run = (text: string, values: readonly unknown[]) => database.prepare(text).all(values)
  const change = groupChanges(sqlite, usage, run)
  return Object.assign(dialect, {
    createDriver: () => new WaitingDriver(createDriver(), limits, usage),
    runAtOnce: (text: string, values: readonly unknown[], form: StatementForm | undefined) => {
      if (form === 'change') return change(text, values)
      if (usage.isInUse) return undefined
      try {
        return run(text, values)
      } catch (error) {
        if (isBusyError(error)) return undefined
        throw error
      }
    },
  })
}

interface Change {
  text: string
  values: readonly unknown[]
  resolve(rows: unknown[] | undefined): void
  reject(error: unknown): void
}

/**
 * Returns a function that runs the changes of all requests of a turn of the event loop in one transaction (group commit):
 * a commit waits for the disk, which takes longer than ten changes. It resolves after the commit, or to undefined if the
 * transaction was rolled back: each change is then run by itself, and has its own error.
 */
function groupChanges(
  sqlite: Sqlite,
  usage: { readonly isInUse: boolean },
  run: (text: string, values: readonly unknown[]) => unknown[],
): (text: string, values: readonly unknown[]) => Promise<unknown[] | undefined> {
  let group: Change[] = []
  const commitGroup = () => {
    const changes = group
    group = []
    const results = runInTransaction(changes)
    try {
      if (results) sqlite.commit()
      for (const [index, { resolve }] of changes.entries()) resolve(results?.[index])
    } catch (error) {
      for (const { reject } of changes) reject(error)
    }
  }
  const runInTransaction = (changes: readonly Change[]): unknown[][] | undefined => {
    if (usage.isInUse) return undefined
    try {
      sqlite.exec('BEGIN IMMEDIATE')
      return changes.map(({ text, values }) => run(text, values))
    } catch {
      sqlite.rollBack()
      return undefined
    }
  }
  return (text, values) =>
    new Promise((resolve, reject) => {
      if (group.push({ text, values, resolve, reject }) === 1) setImmediate(commitGroup)
    })
}

/** Upper bound for the pause between two attempts to lock the file, in milliseconds. */
const maxPauseMs = 20

/** The driver of Kysely, with the only connection that it has. */
class WaitingDriver implements Driver {
  readonly #driver: Driver
  readonly #limits: Pick<StorageLimits, 'lockMs'>
  readonly #usage: { isInUse: boolean }

  constructor(driver: Driver, limits: Pick<StorageLimits, 'lockMs'>, usage: { isInUse: boolean }) {
    this.#driver = driver
    this.#limits = limits
    this.#usage = usage
  }

  init = () => this.#driver.init()

  async acquireConnection(): Promise<WaitingConnection> {
    // The time for which a request waits for others that wait for the lock counts too.
    const deadlineMs = monotonicMs() + this.#limits.lockMs
    const connection = await this.#acquire()
    // Other requests that only read need not wait for the lock.
    const letOthersContinue = async () => {
      await this.#release(connection)
      await pause()
      await this.#acquire()
    }
    return new WaitingConnection(connection, deadlineMs, letOthersContinue)
  }

  async #acquire(): Promise<DatabaseConnection> {
    const connection = await this.#driver.acquireConnection()
    this.#usage.isInUse = true
    return connection
  }

  async #release(connection: DatabaseConnection): Promise<void> {
    // The next user of the connection continues after this, and marks it again before its first statement.
    this.#usage.isInUse = false
    await this.#driver.releaseConnection(connection)
  }

  async beginTransaction(waiting: WaitingConnection): Promise<void> {
    await waiting.repeatWhileLocked(() => this.#driver.beginTransaction(waiting.connection, {}))
    waiting.isInTransaction = true
  }

  async commitTransaction(waiting: WaitingConnection): Promise<void> {
    await this.#driver.commitTransaction(waiting.connection)
    waiting.isInTransaction = false
  }

  async rollbackTransaction(waiting: WaitingConnection): Promise<void> {
    await this.#driver.rollbackTransaction(waiting.connection)
    waiting.isInTransaction = false
  }

  releaseConnection = ({ connection }: WaitingConnection) => this.#release(connection)
  destroy = () => this.#driver.destroy()
}

class WaitingConnection implements DatabaseConnection {
  /** Whether no other request may use the connection. */
  isInTransaction = false

  constructor(
    readonly connection: DatabaseConnection,
    readonly deadlineMs: number,
    readonly letOthersContinue: () => Promise<void>,
  ) {}

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.repeatWhileLocked(() => this.connection.executeQuery<Row>(query))
  }

  streamQuery = refuseStream

  /** Runs `work` until another process has unlocked the file. Throws DatabaseUnavailableError after the deadline. */
  async repeatWhileLocked<Result>(work: () => Promise<Result>): Promise<Result> {
    let checkWait: (() => void) | undefined
    for (;;) {
      try {
        return await work()
      } catch (error) {
        throwUnlessWaiting(error, this.deadlineMs)
      }
      checkWait ??= watchWait('Waiting: another program keeps the database locked.')
      checkWait()
      await (this.isInTransaction ? pause() : this.letOthersContinue())
    }
  }
}

/** Throws the error unless another process has locked the file and there is time left to wait for it. */
function throwUnlessWaiting(error: unknown, deadlineMs: number) {
  if (!isBusyError(error)) throw error
  if (monotonicMs() >= deadlineMs) throw new DatabaseUnavailableError(error)
}

const pause = () => sleep(maxPauseMs * (0.2 + 0.8 * Math.random()))

/** Upper bound for cached statements. The program itself has fewer; filters add more. */
const maxStatements = 100

/** Kysely requires the iterator of its streams. */
type KyselyStatement = SqliteStatement & { iterate(): never }

function forKysely(sqlite: Sqlite) {
  const statements = new Map<string, KyselyStatement>()
  return {
    close() {
      statements.clear()
      sqlite.close()
    },
    /** Returns a cached statement. Each run is complete when it returns, so that statements can be reused. */
    prepare(query: string): KyselyStatement {
      const cached = statements.get(query)
      if (cached) return cached
      const [oldest] = statements.keys()
      if (oldest !== undefined && statements.size >= maxStatements) statements.delete(oldest)
      const statement = prepareForKysely(sqlite, query)
      statements.set(query, statement)
      return statement
    },
  }
}

function prepareForKysely(sqlite: Sqlite, query: string): KyselyStatement {
  const statement = { ...sqlite.prepare(query), iterate: refuseStream }
  // Every transaction writes. If it took the write lock only at its first write, it would have to start again when
  // another process has written in between. A prepared statement would stay in use after the file was locked.
  if (query === 'begin')
    return { ...statement, run: () => withoutChanges(() => sqlite.exec('begin immediate')) }
  if (query === 'commit') return { ...statement, run: () => withoutChanges(sqlite.commit) }
  return query === 'rollback' ? { ...statement, run: () => withoutChanges(sqlite.rollBack) } : statement
}

/** A stream that ends early would leave its statement in use, which keeps the database locked. */
function refuseStream(): never {
  throw new Error('Read pages instead of a stream.')
}

function withoutChanges(work: () => void) {
  work()
  return { changes: 0, lastInsertRowid: 0 }
}
