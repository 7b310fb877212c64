import { relative } from 'node:path'
import { onTestFinished, vi } from 'vitest'

/** A call of the SQLite driver that fails. */
export interface DriverFault {
  /** Number of the failing write to the databases below the directory, from 1. */
  nth: number
  /** `after`: SQLite executes a committing call before it is reported as failed. */
  when: 'before' | 'after'
  /** Whether all later writes fail too. */
  isLasting: boolean
  error: 'EIO' | 'ENOSPC'
}

interface Connection {
  exec(sql: string): void
  prepare(sql: string): Statement
}
interface Statement {
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): unknown
}

/** Messages and codes of the errors, as SQLite words them. */
const messages = {
  EIO: ['disk I/O error', 'SQLITE_IOERR'],
  ENOSPC: ['database or disk is full', 'SQLITE_FULL'],
} as const

/** Makes a chosen write of the SQLite driver fail, in this process and for the databases below a directory. */
export class FailingDriver {
  /** The database and SQL of each write since `setFault`. */
  readonly writes: string[] = []
  #fault: DriverFault | undefined
  readonly #home: string
  readonly #files = new WeakMap<object, string>()
  readonly #inTransaction = new WeakSet<object>()
  #isReadingPath = false

  private constructor(home: string) {
    this.#home = home
  }

  /** Wraps the SQLite driver of this runtime until the test ends. */
  static async install(home: string): Promise<FailingDriver> {
    const failing = new FailingDriver(home)
    const Database = await driverClass()
    const sample = new Database(':memory:')
    const statement = Object.getPrototypeOf(sample.prepare('SELECT 1')) as Statement
    sample.close()
    const connection = Database.prototype as Connection
    const sources = new WeakMap<object, { connection: Connection; sql: string }>()
    const { exec, prepare } = connection
    const { all, run } = statement
    const spies = [
      vi.spyOn(connection, 'exec').mockImplementation(function (this: Connection, sql) {
        return failing.#call(this, sql, () => exec.call(this, sql))
      }),
      vi.spyOn(connection, 'prepare').mockImplementation(function (this: Connection, sql) {
        const prepared = prepare.call(this, sql)
        sources.set(prepared, { connection: this, sql })
        return prepared
      }),
      ...(['all', 'run'] as const).map((name) =>
        vi.spyOn(statement, name).mockImplementation(function (this: Statement, ...parameters) {
          const source = sources.get(this)
          const call = () => ({ all, run })[name].apply(this, parameters) as unknown[]
          return source ? failing.#call(source.connection, source.sql, call) : call()
        }),
      ),
    ]
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore()
    })
    return failing
  }

  /** Makes a later write fail; without an argument, none fails. */
  setFault(fault?: DriverFault) {
    this.#fault = fault
    this.writes.length = 0
  }

  /** Whether the failing write has been reached. */
  get isHit(): boolean {
    return this.#fault !== undefined && this.writes.length >= this.#fault.nth
  }

  #call<Result>(connection: Connection, sql: string, execute: () => Result): Result {
    if (/^\s*(commit|rollback)/i.test(sql)) this.#inTransaction.delete(connection)
    const commits = !this.#inTransaction.has(connection) && !/^\s*begin/i.test(sql)
    if (/^\s*begin/i.test(sql)) this.#inTransaction.add(connection)
    if (this.#isReadingPath || !isWrite(sql)) return execute()
    const file = this.#fileOf(connection)
    if (file === undefined) return execute()
    this.writes.push(`${file}: ${sql.trim()}`)
    const fault = this.#fault
    const count = this.writes.length
    if (!fault || count < fault.nth || (count > fault.nth && !fault.isLasting)) return execute()
    if (fault.when === 'after' && commits && count === fault.nth) execute()
    const [message, code] = messages[fault.error]
    throw Object.assign(new Error(message), { code })
  }

  /** The database of a connection, relative to the directory; undefined for one outside. */
  #fileOf(connection: Connection): string | undefined {
    let file = this.#files.get(connection)
    if (file === undefined) {
      this.#isReadingPath = true
      const [row] = connection.prepare('PRAGMA database_list').all() as { file: string }[]
      this.#isReadingPath = false
      file = row?.file ?? ''
      this.#files.set(connection, file)
    }
    const name = relative(this.#home, file)
    return file === '' || name.startsWith('..') ? undefined : name
  }
}

/** Returns false for reads and for rollbacks. */
function isWrite(sql: string): boolean {
  return !/^\s*(select|with|values|explain|rollback|pragma\s+\w+\s*(\(|;?\s*$))/i.test(sql)
}

async function driverClass(): Promise<new (path: string) => Connection & { close(): void }> {
  const builtin = process.getBuiltinModule('node:sqlite') as { DatabaseSync: unknown } | undefined
  return (builtin?.DatabaseSync ?? (await import('libsql')).default) as never
}
