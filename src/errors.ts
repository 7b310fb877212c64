/** The kinds of failure that a user or a script can tell apart, each with its exit status. */
export const exitStatus = {
  failure: 1,
  usage: 2,
  not_found: 3,
  unauthenticated: 4,
  insufficient_scope: 5,
  unreachable: 6,
  rejected: 7,
  interrupted: 130,
} as const

export type ErrorCode = keyof typeof exitStatus

export interface TtErrorDetails {
  /** What to do next, a sentence that names the command. */
  hint?: string | undefined
  /** The HTTP status, where a service answered. */
  status?: number | undefined
  cause?: unknown
}

/** An error in the user's words. Everything that `tt` reports on purpose is one of these. */
export class TtError extends Error {
  override readonly name = 'TtError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly status: number | undefined

  constructor(code: ErrorCode, message: string, details: TtErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.hint = details.hint
    this.status = details.status
  }

  /** The one object that stands on stderr under `--json`. */
  toJSON(): { error: { code: ErrorCode; message: string; hint: string | null; status: number | null } } {
    return {
      error: { code: this.code, message: this.message, hint: this.hint ?? null, status: this.status ?? null },
    }
  }
}
