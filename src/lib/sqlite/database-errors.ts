import { closeSync, existsSync, lstatSync, openSync, readlinkSync } from 'node:fs'
import { TtError } from '../errors.js'

/** A database file as error messages describe it. */
export interface DatabaseFile {
  path: string
  /** See `OpenOptions`. */
  recoveryAdvice?: string | undefined
  /** Whether its text is read with U+FFFD for invalid bytes; otherwise reading it throws. */
  replacesInvalidText?: boolean
}

/** An error of a database file or its disk; the message names the file. */
export class DatabaseError extends TtError {}

/** The next step for a damaged database. */
const salvage = { action: 'salvage' } as const

/**
 * Returns the error for a damaged database.
 *
 * @param flaw what is wrong with it
 */
export function damageError({ path, recoveryAdvice }: DatabaseFile, flaw: string, cause?: unknown): TtError {
  const hint = restoreHint(recoveryAdvice)
  return new DatabaseError('failure', `The database ${path} is damaged (${flaw}).`, {
    hint,
    nextStep: salvage,
    cause,
  })
}

const damagePattern = /not a database|malformed|SQLITE_NOTADB|SQLITE_CORRUPT/i
const schemaPattern = /no such (table|column|index)|has no column named/i
const busyPattern = /database is locked|SQLITE_BUSY/i
const cannotOpenPattern =
  /readonly|read-only|unable to open|EACCES|EROFS|EPERM|ENOENT|ENOTDIR|EEXIST|SQLITE_READONLY|SQLITE_CANTOPEN/i
const fullPattern = /disk is full|ENOSPC|SQLITE_FULL/i
const ioErrorPattern = /disk I\/O error|EIO|SQLITE_IOERR/i

type KnownError = [RegExp, message: (path: string) => string, hint: (file: DatabaseFile) => string]

const knownErrors: KnownError[] = [
  [
    damagePattern,
    (path) => `The database ${path} is damaged or is not a database.`,
    ({ recoveryAdvice }) => restoreHint(recoveryAdvice),
  ],
  [
    schemaPattern,
    (path) => `The database ${path} lacks tables or columns of its version.`,
    ({ recoveryAdvice }) => restoreHint(recoveryAdvice),
  ],
  [
    fullPattern,
    (path) => `The disk is full: ${path} could not be written.`,
    () => 'Nothing was saved. Free some space and repeat the command.',
  ],
  [
    cannotOpenPattern,
    (path) => `The database ${path} cannot be opened for writing.`,
    () =>
      'Nothing was saved. Check the permissions of the file and its directory, or set TT_HOME to another directory.',
  ],
  [
    busyPattern,
    (path) => `Another program keeps the database ${path} locked.`,
    () => 'Nothing was saved. Repeat the command when the other program has finished.',
  ],
  [
    ioErrorPattern,
    (path) => `The disk reported an error while using ${path}.`,
    () => 'Nothing was saved. Check the disk, then repeat the command.',
  ],
]

/** Runs `work` and replaces the errors of SQLite and the file system by TtError `failure` in plain words. */
export function withReadableErrors<Result>(file: DatabaseFile, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw toReadableError(file, error)
  }
}

/** Returns TtError `failure` for a known error of SQLite or the file system; any other error unchanged. */
export function toReadableError(file: DatabaseFile, error: unknown): unknown {
  if (error instanceof TtError || !(error instanceof Error)) return error
  const text = errorText(error)
  if (cannotOpenPattern.test(text) && !hasFreeDescriptors(4)) return tooManyOpenFilesError(error)
  const known = knownErrors.find(([pattern]) => pattern.test(text))
  if (!known) return error
  const [, message, hint] = known
  const nextStep = damagePattern.test(text) || schemaPattern.test(text) ? salvage : undefined
  return new DatabaseError('failure', message(file.path), { hint: hint(file), nextStep, cause: error })
}

/** Whether another process keeps the database locked. */
export function isBusyError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (busyPattern.test(errorText(cause))) return true
  return false
}

/** Whether the file is damaged or is not a database. */
export function isDamageError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (damagePattern.test(errorText(cause))) return true
  return false
}

/** Whether SQLite may have rolled the whole transaction back because of an error (sqlite.org/lang_transaction.html). */
export function endsTransaction(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (fullPattern.test(errorText(cause)) || isIoError(cause)) return true
  return false
}

/** Whether the disk failed while SQLite read or wrote. */
export function isIoError(error: unknown): boolean {
  return ioErrorPattern.test(errorText(error))
}

/**
 * Returns the error for a commit that may or may not be on the disk. Only the hint says so: warnings after a change that
 * is certainly saved quote the message as the reason why a later write failed.
 */
export function commitOutcomeUnknownError(path: string, cause: unknown): TtError {
  return new DatabaseError('failure', `The disk reported an error while ${path} was being written.`, {
    hint: 'It is unknown whether the change was saved. Check the disk.',
    nextStep: { action: 'check_saved' },
    cause,
  })
}

/**
 * Returns the error for migrations that do not fit the tables of a SQLite database, because its version number was
 * changed from outside. Returns a TtError unchanged. The caller rolls the migrations back.
 *
 * @param recoveryAdvice see `OpenOptions`
 */
export function schemaMismatchError(error: unknown, path: string, recoveryAdvice?: string): unknown {
  if (error instanceof TtError || !(error instanceof Error)) return error
  const message = `The database ${path} does not have the schema of its version (${error.message}).`
  return new DatabaseError('failure', message, { hint: restoreHint(recoveryAdvice), cause: error })
}

/** Returns the hint for a damaged database. */
function restoreHint(recoveryAdvice: string | undefined): string {
  if (recoveryAdvice === undefined)
    return 'Nothing was changed. Copy the file, then put a backup in its place.'
  return `Nothing was changed. ${recoveryAdvice.slice(0, -1)}, or put a backup in its place.`
}

function errorText(error: unknown): string {
  return error instanceof Error ? `${'code' in error ? error.code : ''} ${error.message}` : ''
}

/** File descriptors that the driver, two databases with their logs, and a commit take together. */
const requiredDescriptors = 13

const nullDevice = process.platform === 'win32' ? String.raw`\\.\nul` : '/dev/null'

/** Throws TtError `failure` when this process cannot open as many more files as the databases need. */
export function assertFreeDescriptors(): void {
  if (!hasFreeDescriptors(requiredDescriptors)) throw tooManyOpenFilesError()
}

/** Whether this process can open that many more files. */
function hasFreeDescriptors(count: number): boolean {
  const descriptors: number[] = []
  try {
    while (descriptors.length < count) descriptors.push(openSync(nullDevice, 'r'))
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && /^E[MN]FILE$/.test(String(error.code)))
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor)
  }
}

function tooManyOpenFilesError(cause?: unknown): TtError {
  return new TtError('failure', 'tt cannot open its files: too many files are open.', {
    hint: 'Nothing was saved. Raise the limit of file descriptors, for example with `ulimit -n 256`, then repeat the command.',
    cause,
  })
}

/** Whether `path` is a symbolic link whose target is missing or unreachable, or that links to itself. */
export function isBrokenLink(path: string): boolean {
  if (existsSync(path)) return false
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // There is no file, or its directory cannot be used: opening the database reports that.
  }
}

export function brokenLinkError({ path, recoveryAdvice = '' }: DatabaseFile): TtError {
  const target = readlinkSync(path)
  const message = `The database ${path} cannot be opened: it is a symbolic link to ${target}, which is missing or cannot be reached.`
  const hint = `Nothing was saved. Mount the disk of that file, or restore the file. ${recoveryAdvice}`
  return new TtError('failure', message, { hint: hint.trimEnd() })
}
