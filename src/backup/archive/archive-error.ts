import { errorMessage, TtError } from '../../lib/errors.js'

export type ArchiveProblem =
  | 'unreadable'
  | 'not_a_file'
  | 'database'
  | 'other_format'
  | 'damaged'
  | 'newer'
  | 'refused'
  | 'disk'

/** A file that is not a backup that this program can read. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly problem: ArchiveProblem
  /** The version of the program that wrote it. */
  readonly writtenBy: string | undefined

  constructor(problem: ArchiveProblem, cause?: unknown, writtenBy?: string) {
    super(problem, { cause })
    this.problem = problem
    this.writtenBy = writtenBy
  }
}

/** Returns the error for a backup that would occupy the machine. `reason` is a clause. */
export const refused = (reason: string) => new ArchiveError('refused', new Error(reason))

/** Returns the error for the user. `path` is the file as the user named it. */
export function toReadableArchiveError(error: unknown, path: string): unknown {
  if (!(error instanceof ArchiveError)) return error
  const { problem, cause, writtenBy } = error
  const create = (code: 'failure' | 'not_found' | 'usage', message: string, hint: string) =>
    new TtError(code, message, { hint: `Nothing was changed. ${hint}`, cause: error })
  switch (problem) {
    case 'unreadable': {
      const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
      return isMissing
        ? create('not_found', `There is no file ${path}.`, 'Check the path.')
        : create('failure', `${path} cannot be read: ${errorMessage(cause)}.`, 'Check its permissions.')
    }
    case 'not_a_file':
      return create('usage', `${path} is not a regular file.`, 'Use the path of a backup.')
    case 'database':
      return create(
        'usage',
        `${path} is a SQLite database, not a backup of a user.`,
        'To use a copy of a served database, serve the copy.',
      )
    case 'other_format':
      return create('usage', `${path} is not a backup of tt.`, 'Use a file that tt has saved as a backup.')
    case 'damaged':
      return create('failure', `The backup ${path} is damaged or incomplete.`, 'Use another backup.')
    case 'refused':
      return create(
        'failure',
        `The backup ${path} is refused: ${errorMessage(cause)}.`,
        'Use another backup.',
      )
    case 'disk':
      return create(
        'failure',
        `The backup ${path} cannot be extracted: ${errorMessage(cause)}.`,
        'Free space on the disk.',
      )
    case 'newer':
      return create('failure', `The backup ${path} was written by a newer tt (${writtenBy}).`, 'Update tt.')
  }
}
