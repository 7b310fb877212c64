import { silentWaitMs, watchWait } from '../lock.js'
import { monotonicMs } from '../monotonic-clock.js'
import {
  commitOutcomeUnknownError,
  type DatabaseFile,
  endsTransaction,
  isBusyError,
  isIoError,
  toReadableError,
  withReadableErrors,
} from './database-errors.js'
import type { Driver } from './driver.js'

export const begin = 'BEGIN IMMEDIATE'

/** Upper bound for the pause between two attempts to lock the file, in milliseconds. */
const maxPauseMs = 20

/**
 * The wait of a connection while another process keeps the database locked. SQLite waits for at most a second at a time,
 * so that a longer wait is reported.
 */
export class BusyWait {
  readonly #path: string
  readonly #limitMs: number
  #isSuspended: boolean | undefined

  /** @param limitMs how long to wait, in milliseconds */
  constructor(path: string, limitMs = 10_000) {
    this.#path = path
    this.#limitMs = limitMs
  }

  /** How long to wait, in milliseconds. */
  get limitMs(): number {
    return this.#limitMs
  }

  /** How long SQLite itself waits, in milliseconds. */
  get driverTimeoutMs(): number {
    return Math.min(this.#limitMs, silentWaitMs)
  }

  /**
   * Runs `work` without waiting.
   *
   * @param disableDriver called once, to make SQLite itself fail at once; from then on, only `repeatWhileBusy` waits
   */
  suspend<Result>(work: () => Result, disableDriver: () => void): Result {
    if (this.#isSuspended === undefined) disableDriver()
    const before = this.#isSuspended ?? false
    this.#isSuspended = true
    try {
      return work()
    } finally {
      this.#isSuspended = before
    }
  }

  /** Runs `work`, and repeats it while it fails because the database is locked, within the limit. Blocks the process. */
  repeatWhileBusy<Result>(work: () => Result): Result {
    let checkWait: (() => void) | undefined
    const startMs = monotonicMs()
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (this.#isSuspended || !isBusyError(error) || monotonicMs() - startMs >= this.#limitMs) throw error
        checkWait ??= watchWait(`Waiting: another program keeps the database ${this.#path} locked.`, startMs)
        checkWait()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      }
    }
  }
}

/** The transactions of a connection: one is open at a time, and those within it are savepoints. */
export class Transactions {
  readonly #file: DatabaseFile
  readonly #driver: Driver
  readonly #wait: BusyWait
  #isOpen = false
  #isExclusive = false
  /** The error that has ended the open transaction. */
  #failure: { error: unknown } | undefined
  readonly #afterCommit: (() => void)[] = []

  constructor(file: DatabaseFile, driver: Driver, wait: BusyWait) {
    this.#file = file
    this.#driver = driver
    this.#wait = wait
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isExclusive(): boolean {
    return this.#isExclusive
  }

  /** Runs a statement, unless the transaction that it would belong to has ended with an error. */
  run<Result>(statement: () => Result): Result {
    if (this.#failure) throw this.#failure.error
    try {
      return statement()
    } catch (error) {
      if (this.#isOpen && endsTransaction(error)) this.#failure = { error }
      throw error
    }
  }

  /** See `Sqlite.withoutWaiting`. */
  withoutWaiting<Result>(work: () => Result): Result {
    const disable = () => this.#driver.exec('PRAGMA busy_timeout = 0')
    return this.#wait.suspend(work, () => withReadableErrors(this.#file, disable))
  }

  /** See `Sqlite.afterCommit`. */
  afterCommit(action: () => void): void {
    if (this.#isOpen) this.#afterCommit.push(action)
    else action()
  }

  begin(statement = begin): void {
    withReadableErrors(this.#file, () => this.#wait.repeatWhileBusy(() => this.#driver.exec(statement)))
    this.#isOpen = true
  }

  commit(): void {
    const failure = this.#failure
    if (failure) {
      this.rollBack()
      throw failure.error
    }
    const actions = this.#end()
    commit(this.#file, this.#driver)
    for (const action of actions) action()
  }

  rollBack(): void {
    this.#end()
    rollBack(this.#driver)
  }

  #end(): (() => void)[] {
    this.#isOpen = false
    this.#isExclusive = false
    this.#failure = undefined
    return this.#afterCommit.splice(0)
  }

  /**
   * Runs `work` inside BEGIN IMMEDIATE … COMMIT, or in a savepoint. libsql does not reset a prepared statement that fails
   * because another process has locked the file, and SQLite then commits nothing more on this connection. In an immediate
   * transaction, that cannot happen.
   */
  inTransaction<Result>(work: () => Result, statement = begin): Result {
    if (this.#isOpen) return this.#inSavepoint(work)
    this.begin(statement)
    try {
      const result = work()
      this.commit()
      return result
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  #inSavepoint<Result>(work: () => Result): Result {
    const savepoint = this.#openSavepoint()
    try {
      const result = work()
      savepoint.release()
      return result
    } catch (error) {
      savepoint.rollBack()
      throw error
    }
  }

  /** See `Sqlite.exclusively`. */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isExclusive) return this.#inAsyncSavepoint(work)
    await this.#beginWithoutBlocking()
    this.#isExclusive = true
    try {
      const result = await work()
      this.commit()
      return result
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  async #inAsyncSavepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    const savepoint = this.#openSavepoint()
    try {
      const result = await work()
      savepoint.release()
      return result
    } catch (error) {
      savepoint.rollBack()
      throw error
    }
  }

  #openSavepoint() {
    const exec = (sql: string) => withReadableErrors(this.#file, () => this.run(() => this.#driver.exec(sql)))
    exec('SAVEPOINT part')
    const actions = this.#afterCommit.length
    return {
      release: () => exec('RELEASE part'),
      rollBack: () => {
        this.#afterCommit.splice(actions)
        // Without its transaction, there is no savepoint.
        if (!this.#failure) exec('ROLLBACK TO part; RELEASE part')
      },
    }
  }

  async #beginWithoutBlocking() {
    const startMs = monotonicMs()
    let checkWait: (() => void) | undefined
    for (;;) {
      // Another transaction of this connection is in progress.
      if (!this.#isOpen) {
        try {
          this.withoutWaiting(() => this.begin())
          return
        } catch (error) {
          if (!isBusyError(error) || monotonicMs() - startMs >= this.#wait.limitMs) throw error
        }
      }
      checkWait ??= watchWait(
        `Waiting: another program keeps the database ${this.#file.path} locked.`,
        startMs,
      )
      checkWait()
      await new Promise((resolve) => setTimeout(resolve, maxPauseMs * (0.2 + 0.8 * Math.random())))
    }
  }
}

/**
 * Commits the open transaction. Throws TtError `failure` after ending the transaction: unless its hint says that the
 * outcome is unknown, nothing of the transaction is saved.
 */
function commit(file: DatabaseFile, driver: Driver): void {
  try {
    driver.exec('COMMIT')
  } catch (error) {
    rollBack(driver)
    throw isIoError(error) && !overwriteFailedCommit(driver)
      ? commitOutcomeUnknownError(file.path, error)
      : toReadableError(file, error)
  }
}

/** Rolls the open transaction back, if there is one: SQLite ends a transaction on some errors, such as a full disk. */
function rollBack(driver: Driver): void {
  try {
    driver.exec('ROLLBACK')
  } catch {
    // The transaction has ended already. The caller reports the error that led here.
  }
}

/**
 * Overwrites what a failed commit has left in the log; returns false when that fails too. SQLite writes a transaction to
 * the log before it syncs the log: after a failed sync this process considers the transaction lost, but the next process
 * that reads the log finds it complete.
 */
function overwriteFailedCommit(driver: Driver): boolean {
  try {
    driver.exec('BEGIN IMMEDIATE')
    const [row] = driver.prepare('PRAGMA user_version').all() as { user_version: number }[]
    driver.exec(`PRAGMA user_version = ${row?.user_version ?? 0}; COMMIT`)
    return true
  } catch {
    rollBack(driver)
    return false
  }
}
