import type { NextStep } from './next-step.js'

/** The error codes, each with its exit status. */
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
  /** What the user can do next, in one or more sentences. */
  hint?: string | undefined
  /** The command that the user can run next; printed after the hint. */
  nextStep?: NextStep | undefined
  /** The HTTP status of the response, if there was one. */
  status?: number | undefined
  cause?: unknown
  /** Names that the user may have meant, most similar first. */
  candidates?: readonly string[]
}

/** The JSON of an error; src/records/shapes/documents.ts describes it. */
export interface ErrorJson {
  code: ErrorCode
  message: string
  hint: string | null
  status: number | null
  candidates?: readonly string[] | undefined
}

/** An expected error, worded for the user. Any other error is a bug. */
export class TtError extends Error {
  override readonly name: string = 'TtError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly nextStep: NextStep | undefined
  readonly status: number | undefined
  readonly candidates: readonly string[]

  constructor(code: ErrorCode, message: string, details: TtErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.hint = details.hint
    this.nextStep = details.nextStep
    this.status = details.status
    this.candidates = details.candidates ?? []
  }

  /** The one object on stderr under `--json`; `candidates` only if there are any. */
  toJSON(): { error: ErrorJson } {
    const { code, message, hint = null, status = null, candidates } = this
    return { error: { code, message, hint, status, ...(candidates.length > 0 ? { candidates } : {}) } }
  }
}

/** The user left a prompt with Esc or Ctrl-C (`interrupted`), or declined it (`failure`). Nothing was changed. */
export class CancelledPrompt extends TtError {
  constructor(code: 'interrupted' | 'failure', details: TtErrorDetails = {}) {
    super(code, `${code === 'interrupted' ? 'Interrupted. ' : ''}Nothing was changed.`, details)
  }
}

/** Ends a command that runs until Ctrl-C: the exit status is that of `interrupted`, and nothing is printed. */
export class EndedByInterrupt extends TtError {
  constructor() {
    super('interrupted', 'Interrupted.')
  }
}

/** Returns the message of an error; the text of any other thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Returns the error of a command that failed after it had saved changes: the user must not repeat it.
 *
 * @param titles the titles of the saved changes in the history
 */
export function errorAfterSaving(titles: readonly string[], error: unknown): TtError {
  const others = titles.length > 2 ? ` and ${titles.length - 1} other changes` : ''
  const saved = titles.length > 2 ? `${titles[0]}${others}` : titles.join('; ')
  return new TtError('failure', `Saved: ${saved}. An error occurred afterwards: ${errorMessage(error)}`, {
    hint: 'Do not repeat the command: changes that are not sent yet are sent later.',
    cause: error,
  })
}
