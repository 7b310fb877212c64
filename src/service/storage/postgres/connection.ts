import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolClient, QueryResult } from 'pg'
import { sql } from '../sql.js'
import { DatabaseUnavailableError } from '../unavailable.js'
import type { PooledConnection } from './pool.js'

export interface StatementLimits {
  /** See `StorageLimits`. */
  readonly statementMs: number
  readonly idleInTransactionMs: number
  readonly clock: DatabaseClock
  /** Returns the name of a statement that is to be prepared. */
  nameOf(text: string): string | undefined
}

type Result = Pick<QueryResult, 'rows'>

/** Attempts to repeat a statement on another connection. All idle ones may be lost at once. */
const maxReplacements = 5
/** How long a cancelled statement may take to end, and the limit of the server to apply before that of this process. */
const graceMs = 1000
/** Pause between cancel requests: PgBouncer ignores those for a statement that waits for a connection of its pool. */
const cancelPauseMs = 100

/** The codes of PostgreSQL for errors after which the same request may succeed (postgresql.org/docs, appendix A). */
const temporary = /^(08|53)|^(57014|55P03|40001|40P01|25006)$/
/** Errors after which the connection is useless; the last one comes from a standby that clients take for the primary. */
const fatalCodes = /^08|^(57P0[1-5]|25P03|25006)$/
const networkCodes = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOST|ENET|ENOTFOUND$|EAI_|ENOENT$|ERR_STREAM_|ERR_SOCKET)/
/** node-postgres has no codes for these. */
const lostMessages = /^Connection terminated|not queryable|^Client was closed/

/** Whether the connection on which the error occurred is lost or useless. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  const codeText = typeof code === 'string' ? code : ''
  return (
    severity === 'FATAL' ||
    severity === 'PANIC' ||
    fatalCodes.test(codeText) ||
    networkCodes.test(codeText) ||
    lostMessages.test(error.message)
  )
}

/** Whether the server refuses the user, the password or the database, which no repetition changes. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code))
}

/** Whether a statement failed for a reason that may be gone in a moment, such as a timeout or a deadlock. */
function isTemporary(error: unknown): boolean {
  return error instanceof Error && 'code' in error && temporary.test(String(error.code))
}

/** Whether PostgreSQL has rolled the transaction back because of another one, so that it is to be repeated. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(40001|40P01)$/.test(String(error.code))
}

/** Stands for the deadline of a statement among its values, which is known only when the statement is sent. */
const deadline = Symbol('deadline')

/**
 * The condition that a statement begins before its time limit ends, for single statements that change records. A statement
 * that PgBouncer or the network has delayed until after the response would otherwise undo later changes.
 */
export const beginsInTime = sql`clock_timestamp() < ${deadline}::timestamptz`

/** How long a reading is used, in milliseconds: clocks drift apart, and are set. */
const maxAgeMs = 60_000
/** How long a reading may take to be used again, in milliseconds: its error is at most that. */
const maxErrorMs = 50

/** The clock of the database server, which may differ from that of this process by any time. */
export class DatabaseClock {
  /** The time of the database minus that of `performance.now()`: exact, or too little by the duration of the reading. */
  #offsetMs = 0
  #validUntilMs = Number.NEGATIVE_INFINITY

  /** Returns the present time of the database, or one a little before it, in epoch milliseconds. */
  async now(read: () => Promise<number>): Promise<number> {
    const startMs = performance.now()
    if (startMs < this.#validUntilMs) return startMs + this.#offsetMs
    const timeMs = await read()
    const endMs = performance.now()
    this.#offsetMs = timeMs - endMs
    if (endMs - startMs <= maxErrorMs) this.#validUntilMs = endMs + maxAgeMs
    return timeMs
  }

  /** Reads the clock again before it is used: another server may have taken over. */
  invalidate(): void {
    this.#validUntilMs = Number.NEGATIVE_INFINITY
  }
}

/**
 * Replaces a lost connection and repeats the statement if that changes nothing: a query outside a transaction, or the
 * beginning of one. Throws DatabaseUnavailableError for other lost connections and for errors that pass.
 */
export class Connection implements PooledConnection {
  #client: PoolClient
  readonly #acquire: () => Promise<PoolClient>
  readonly #limits: StatementLimits
  #isInTransaction = false
  #isBroken = false

  constructor(client: PoolClient, acquire: () => Promise<PoolClient>, limits: StatementLimits) {
    this.#client = client
    this.#acquire = acquire
    this.#limits = limits
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Result> {
    const begins = text === 'begin'
    const ends = text === 'commit' || text === 'rollback'
    // The server has rolled the transaction back together with the connection.
    if (this.#isBroken && text === 'rollback') return { rows: [] }
    const canRepeat = !this.#isInTransaction && (begins || /^\s*select\b/i.test(text))
    try {
      const result = begins
        ? await this.#begin()
        : values.includes(deadline)
          ? await this.#runInTime(text, values)
          : await this.#run(text, values, canRepeat)
      if (begins) this.#isInTransaction = true
      if (ends) this.#isInTransaction = false
      return result
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error
      const isLost = this.#isBroken || isConnectionLoss(error)
      if (!isLost && !isTemporary(error)) throw error
      if (isLost) this.#limits.clock.invalidate()
      // A lost connection rolls the transaction back, unless it was lost while committing.
      const isRolledBack = this.#isInTransaction && !ends
      throw new DatabaseUnavailableError(error, {
        isRepeatable: isRolledBack && (isLost || isConflict(error)),
      })
    }
  }

  /** Returns the connection to the pool, or closes it if it is lost. */
  release() {
    this.#client.release(this.#isBroken || this.#isInTransaction)
  }

  /** Begins a transaction with its time limits, which end with it: PgBouncer gives the connection to others then. */
  #begin(): Promise<Result> {
    const { statementMs, idleInTransactionMs } = this.#limits
    const limits = [
      statementMs > 0 ? `; set local statement_timeout = ${statementMs}` : '',
      idleInTransactionMs > 0
        ? `; set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`
        : '',
    ]
    return this.#run(`begin${limits.join('')}`, undefined, true)
  }

  /**
   * Runs a statement with the condition `beginsInTime`. Throws DatabaseUnavailableError if it has no effect after the limit;
   * before, it may have had none because the clock of the database was set.
   */
  async #runInTime(text: string, values: readonly unknown[]): Promise<Result> {
    const { statementMs, clock } = this.#limits
    const hasLimit = statementMs > 0
    const time = hasLimit
      ? new Date((await clock.now(() => this.#readClock())) + statementMs).toISOString()
      : 'infinity'
    const endMs = performance.now() + statementMs
    const bound = values.map((value) => (value === deadline ? time : value))
    const result = await this.#run(text, bound, false)
    if (hasLimit && result.rows.length === 0 && performance.now() >= endMs)
      throw new DatabaseUnavailableError(new Error(`Statement timeout: not begun within ${statementMs} ms`))
    return result
  }

  async #readClock(): Promise<number> {
    const { rows } = await this.#run('select extract(epoch from clock_timestamp()) * 1000 as now', [], true)
    return Number(rows[0]?.now)
  }

  async #run(text: string, values: readonly unknown[] | undefined, canRepeat: boolean): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      if (this.#isBroken) await this.#replace()
      try {
        return await this.#send(text, values)
      } catch (error) {
        if (isConnectionLoss(error)) this.#isBroken = true
        if (!this.#isBroken || !canRepeat || !isConnectionLoss(error) || attempt >= maxReplacements)
          throw error
      }
    }
  }

  /** Takes another connection from the pool. Throws the error of a lost one in a transaction, which ends with it. */
  async #replace(): Promise<void> {
    if (this.#isInTransaction) throw new Error('Connection terminated: the connection was given up')
    this.#client.release(true)
    this.#client = closedClient
    this.#client = await this.#acquire()
    this.#isBroken = false
  }

  /**
   * Sends a statement. After the limit, cancels it until it ends: through PgBouncer, it may begin only when others were
   * cancelled. If that has no effect within a second, gives the connection up. So it does when the server may not have
   * processed the last cancel request by then: the request would cancel the next statement.
   */
  #send(text: string, values: readonly unknown[] | undefined): Promise<Result> {
    const client = this.#client
    const { statementMs } = this.#limits
    const limitMs = statementMs + (this.#isInTransaction ? graceMs : 0)
    return new Promise((resolve, reject) => {
      const end = new AbortController()
      let cancelling: Promise<void> | undefined
      let settle = () => reject(new Error(`Statement timeout: no response within ${limitMs + graceMs} ms`))
      const giveUp = () => {
        this.#isBroken = true
        end.abort()
        settle()
      }
      const cancel = () => {
        timer = setTimeout(giveUp, graceMs)
        cancelling = cancelUntil(end.signal, client)
      }
      let timer = statementMs > 0 ? setTimeout(cancel, limitMs) : undefined
      const onEnd = async (error: Error | null | undefined, result: QueryResult) => {
        settle = () => (error ? reject(error) : resolve(firstOf(result)))
        end.abort()
        await cancelling
        clearTimeout(timer)
        settle()
      }
      // Only statements without values may be several in one.
      if (!values) return client.query(text, onEnd)
      const name = this.#limits.nameOf(text)
      client.query({ ...(name ? { name } : {}), text, values: [...values] }, onEnd)
    })
  }
}

/**
 * Requests to cancel the statement of this connection until the signal; ends when no request is on its way. There is one
 * at a time: PgBouncer passes them on one after another, before any new connection to PostgreSQL.
 */
async function cancelUntil(signal: AbortSignal, client: PoolClient): Promise<void> {
  while (!signal.aborted) {
    await sendCancelRequest(client)
    await sleep(cancelPauseMs, undefined, { signal, ref: false }).catch(() => {}) // The signal ends the pause.
  }
}

/** In place of a connection that has been returned to the pool already. */
const closedClient = { release() {} } as unknown as PoolClient

/** Returns the result of the first of several statements. */
function firstOf(result: QueryResult | QueryResult[]): Result {
  const first = Array.isArray(result) ? result[0] : result
  return first ?? { rows: [] }
}

/** Code of a request to cancel the statement of another connection (postgresql.org/docs, section 55.7). */
const cancelRequestCode = 80_877_102

/** How long to wait until the server closes the connection of a cancel request, which is the only response to it. */
const cancelRequestMs = 10_000

/**
 * Requests that the server cancels the statement that this connection executes; ends when it has done so, or cannot be
 * reached. The server closes the connection of the request, as libpq expects it: PgBouncer ignores a request whose
 * connection the client closes before, and 1.18 may exit.
 */
async function sendCancelRequest(client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as PoolClient & Record<string, unknown>
  if (typeof processID !== 'number' || typeof secretKey !== 'number') return
  const message = Buffer.alloc(16)
  for (const [index, value] of [16, cancelRequestCode, processID, secretKey].entries())
    message.writeInt32BE(value, index * 4)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on('error', () => {}) // The statement then ends with its connection.
  socket.setTimeout(cancelRequestMs, () => socket.destroy())
  socket.unref()
  socket.resume() // Until the end, after which the socket closes.
  socket.write(message)
  await new Promise((resolve) => socket.on('close', resolve))
}
