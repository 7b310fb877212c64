import { errorMessage } from '../../lib/errors.js'

/** The database cannot be used at the moment: requests fail with 503, and the same request may succeed later. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  /** Whether repeating the transaction at once is safe and useful: nothing was changed, and nothing was waited for. */
  readonly isRepeatable: boolean

  constructor(cause: unknown, { isRepeatable = false } = {}) {
    super(`The database is unavailable: ${reasonOf(cause)}`, { cause })
    this.isRepeatable = isRepeatable
  }
}

/** Returns the message of an error of a connection. */
export function reasonOf(error: unknown): string {
  // Node tries all addresses of a host and reports their errors together, with an empty message.
  return errorMessage(error instanceof AggregateError ? error.errors[0] : error)
}

/** What the database may take, in milliseconds; 0 is no limit. It may change while the database is open. */
export interface StorageLimits {
  /** PostgreSQL: a statement, including the time that it waits for locks. */
  statementMs: number
  /** PostgreSQL: the time between two statements of a transaction. */
  idleInTransactionMs: number
  /** SQLite: waiting for other processes that have locked the file. */
  lockMs: number
}
