import { sql } from '../sql.js'

/** Stands for the deadline of a statement among its values, which is known only when the statement is sent. */
export const deadline = Symbol('deadline')

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
