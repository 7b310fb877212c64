import { errorMessage, TtError } from '../../lib/errors.js'

/** The database cannot be used at the moment: requests fail with 503, and the same request may succeed later. */
export class DatabaseUnavailableError extends TtError {
  override readonly name = 'DatabaseUnavailableError'
  /** Whether repeating the transaction at once is safe and useful: nothing was changed, and nothing was waited for. */
  readonly isRepeatable: boolean

  constructor(cause: unknown, { isRepeatable = false } = {}) {
    const { message, hint } =
      cause instanceof TtError
        ? cause
        : { message: `The database is unavailable: ${reasonOf(cause)}.`, hint: 'Repeat the command.' }
    super('failure', message, { hint, cause })
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

/** Commands wait for locks as long as other commands may take, and may change many records at once. */
export const commandLimits: Readonly<StorageLimits> = {
  statementMs: 0,
  idleInTransactionMs: 0,
  lockMs: 10_000,
}
