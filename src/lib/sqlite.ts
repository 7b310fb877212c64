import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TtError } from './errors.js'

export interface SqliteStatement {
  /** Whether running it yields rows. */
  readonly reader: boolean
  /** Parameters are text, numbers, bigints, null or Uint8Array; booleans are stored as 0 and 1. */
  all(parameters?: readonly unknown[]): unknown[]
  get(parameters?: readonly unknown[]): unknown
  run(parameters?: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters?: readonly unknown[]): IterableIterator<unknown>
}

export interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  /** Ends the transaction; silent where SQLite has ended it by itself already, as a full disk makes it do. */
  rollBack(): void
  /**
   * Commits the open transaction. Throws TtError `failure`: when its hint does not say that the outcome is unknown,
   * nothing of the transaction is saved, and the transaction has ended.
   */
  commit(): void
  /** Runs `work` inside BEGIN IMMEDIATE … COMMIT, and rolls back when it throws. */
  transaction<Result>(work: () => Result): Result
  close(): void
}

export interface OpenOptions {
  /** How long to wait for another process that is writing, in milliseconds. */
  busyTimeoutMs?: number
  /** `full` reaches the disk before a commit returns; `normal` may lose the last commits with the power. */
  durability?: 'full' | 'normal'
  /**
   * How many pages are written before they go from the log into the file; 1,000 where not given. Who opens the file
   * reads the log: short commands keep it short.
   */
  logPages?: number
  /**
   * How many bytes of the log may remain beside the file when it is closed; 0 where not given, so that the file is
   * complete by itself. Writing them to the file takes several flushes of the disk.
   */
  remainingLogBytes?: number
  /** Sentences about what the file contains that is nowhere else, and how to go on without it; hints include them. */
  contains?: string | undefined
}

/** A file as messages describe it. */
type Described = Pick<OpenOptions, 'contains'> & { path: string }

/** The path of a database that is in no file. */
const inMemory = ':memory:'

/** For a file that every short command opens. */
export const shortLogPages = 200

/** The part of both drivers that is used here; they share better-sqlite3's shape but for how parameters go. */
interface Driver {
  exec(sql: string): unknown
  prepare(sql: string): DriverStatement
  close(): void
}
type DatabaseClass = new (path: string) => Driver
interface DriverStatement {
  all(...parameters: unknown[]): unknown[]
  run(...parameters: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(...parameters: unknown[]): IterableIterator<unknown>
}

const builtin = builtinDatabase()

/** Which driver this runtime has. */
export const driverName = builtin ? 'node:sqlite' : 'libsql'

/** `node:sqlite` takes parameters one by one, libsql as a list: it would take a lone null for named parameters. */
const bound = (parameters: readonly unknown[]): readonly unknown[] => (builtin ? parameters : [parameters])

/**
 * Opens the database file at `path`, making it and its directory (for the owner alone) where there is none.
 *
 * The driver is `node:sqlite` where the runtime has it, `libsql` elsewhere. Rejects with TtError `failure` in plain
 * words when `path` is a symbolic link without a target, the file is no database, cannot be written, or the disk is full; so does every call on the result.
 */
export async function openSqlite(path: string, options: OpenOptions = {}): Promise<Sqlite> {
  const file = { path, contains: options.contains }
  const Database = await databaseClass()
  return explained(file, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (path !== inMemory) makePrivate(file)
    const driver = new Database(path)
    const { busyTimeoutMs = 10_000 } = options
    const setUp = `
      PRAGMA busy_timeout = ${busyTimeoutMs};
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${options.durability ?? 'full'};
      PRAGMA wal_autocheckpoint = ${options.logPages ?? 1000};
      PRAGMA foreign_keys = ON`
    try {
      patiently(busyTimeoutMs, () => driver.exec(setUp))
    } catch (error) {
      driver.close()
      throw error
    }
    return {
      ...wrapped(file, driver),
      close() {
        emptyLog(path, driver, options.remainingLogBytes)
        driver.close()
      },
    }
  })
}

/**
 * Opens a database file to read it and no more; undefined where there is none. Nothing is made, changed or waited for:
 * where no process has a log of it open, not even a log is made. Rejects like `openSqlite`.
 */
export async function openToRead(path: string): Promise<Sqlite | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const hasLog = statSync(logPathOf(path), { throwIfNoEntry: false }) !== undefined
  const Database = await databaseClass()
  // Both drivers take the names of SQLite (sqlite.org/uri.html).
  const location = `${pathToFileURL(path).href}?${hasLog ? 'mode=ro' : 'immutable=1'}`
  return explained({ path }, () => wrapped({ path }, new Database(location)))
}

async function databaseClass(): Promise<DatabaseClass> {
  // The native driver ends the process when it lacks file descriptors, and nothing can catch that.
  if (!hasDescriptors(neededDescriptors)) throw tooFewDescriptors()
  return builtin ?? ((await import('libsql')).default as DatabaseClass)
}

function wrapped(file: Described, driver: Driver): Sqlite {
  const exec = (sql: string) => explained(file, () => void driver.exec(sql))
  const rollBack = () => {
    try {
      driver.exec('ROLLBACK')
    } catch {
      // There is nothing to end any more: the error before this one is the one to tell.
    }
  }
  const commit = () => {
    try {
      driver.exec('COMMIT')
    } catch (error) {
      rollBack()
      throw ioError.test(toldBy(error)) && !overwritesFailedCommit(driver)
        ? outcomeUnknown(file.path, error)
        : explain(file, error)
    }
  }
  return {
    exec,
    rollBack,
    prepare(sql) {
      const statement = explained(file, () => driver.prepare(sql))
      return {
        get reader() {
          return yieldsRows(sql)
        },
        all: (parameters = []) => explained(file, () => statement.all(...bound(parameters))),
        // Not the driver's own `get`: libsql adds a field of its own to that row.
        get: (parameters = []) => explained(file, () => statement.all(...bound(parameters))[0]),
        run: (parameters = []) => explained(file, () => statement.run(...bound(parameters))),
        iterate: (parameters = []) => explained(file, () => statement.iterate(...bound(parameters))),
      }
    },
    commit,
    transaction(work) {
      exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        commit()
        return result
      } catch (error) {
        rollBack()
        throw error
      }
    },
    close: () => driver.close(),
  }
}

/**
 * Overwrites what a failed commit has left in the log; false when that fails as well. SQLite writes a transaction to the
 * log before it syncs the log: after a failed sync this process takes the transaction for lost, but the next process
 * that reads the log finds it complete.
 */
function overwritesFailedCommit(driver: Driver): boolean {
  try {
    driver.exec('BEGIN IMMEDIATE')
    const [row] = driver.prepare('PRAGMA user_version').all() as { user_version: number }[]
    driver.exec(`PRAGMA user_version = ${row?.user_version ?? 0}; COMMIT`)
    return true
  } catch {
    try {
      driver.exec('ROLLBACK')
    } catch {
      // SQLite has ended the transaction already.
    }
    return false
  }
}

/** The message is also the reason in warnings about changes that are saved: only the hint says what is unknown. */
function outcomeUnknown(path: string, cause: unknown): TtError {
  return new TtError('failure', `The disk reported an error while ${path} was being written.`, {
    hint: 'It is unknown whether the change was saved. `tt log` and `tt expenses` show what was saved. Check the disk, and repeat the command only if the change is missing.',
    cause,
  })
}

/**
 * That of `node:sqlite`, where there is one. It announces itself as experimental on stderr, which belongs to the user:
 * that one warning is held back.
 */
function builtinDatabase(): DatabaseClass | undefined {
  const emitWarning = process.emitWarning
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof process.emitWarning
  try {
    const sqlite: unknown = process.getBuiltinModule('node:sqlite')
    return (sqlite as { DatabaseSync: DatabaseClass } | undefined)?.DatabaseSync
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * Does again what SQLite says another process is in the way of, for that long. SQLite itself waits but for one thing: two
 * processes that open a new file at once both have to set its journal mode, and one of them is turned away at once.
 */
function patiently(limitMs: number, work: () => unknown) {
  const begun = performance.now()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!busy.test(toldBy(error)) || performance.now() - begun > limitMs) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

function yieldsRows(sql: string): boolean {
  return /^\s*(select|with|pragma|explain|values)\b/i.test(sql) || /\breturning\b/i.test(sql)
}

/**
 * Moves what is in the log into the file, so that the file is complete by itself: the drivers do not, as long as a
 * statement is in use. What cannot be moved, because another process is at work or the disk is full, stays in the log,
 * and is safe there.
 */
function emptyLog(path: string, driver: Driver, remainingBytes = 0) {
  try {
    const logBytes = statSync(logPathOf(path), { throwIfNoEntry: false })?.size ?? 0
    // A file that has nothing but its header is no database without its log.
    if (logBytes > remainingBytes || (logBytes > 0 && statSync(path).size <= headerBytes))
      driver.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The next command tries again.
  }
}

/** The first page of a new database, in bytes. */
const headerBytes = 4096

/** Returns the path of the log of an existing database; for a symbolic link, SQLite writes it beside the target. */
function logPathOf(path: string): string {
  return `${realpathSync.native(path)}-wal`
}

/**
 * Creates the file for its owner alone before anything is in it; SQLite gives its log the same mode. Throws TtError
 * `failure` for a symbolic link without a target: SQLite would create the target, although the file may be on a disk
 * that is not mounted.
 */
function makePrivate(file: Described) {
  const { path } = file
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) closeSync(openSync(path, 'wx', 0o600))
    else if (found.mode & 0o077) chmodSync(path, 0o600)
  } catch {
    if (isBrokenLink(path)) throw brokenLink(file)
    // Another process has created it, SQLite cannot use it either and reports why, or it belongs to another user.
  }
}

/** Whether `path` is a symbolic link whose target is missing or unreachable, or that links to itself. */
export function isBrokenLink(path: string): boolean {
  if (existsSync(path)) return false
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false // There is nothing, or its directory cannot be used: opening the database reports that.
  }
}

/**
 * Returns the error for migrations that do not fit the tables of a SQLite database, because its version number was
 * changed from outside. Returns a TtError as it is. The caller rolls the migrations back.
 *
 * @param contains see `OpenOptions`
 */
export function schemaMismatch(error: unknown, path: string, contains?: string): unknown {
  if (error instanceof TtError || !(error instanceof Error)) return error
  const message = `The database ${path} does not have the schema of its version (${error.message}).`
  return new TtError('failure', message, { hint: restoreAdvice(contains), cause: error })
}

/** The hint for a database that cannot be used as it is. */
function restoreAdvice(contains: string | undefined): string {
  if (contains === undefined) return 'Nothing was changed. Copy the file, then put a backup in its place.'
  return `Nothing was changed. ${contains.slice(0, -1)}, or put a backup in its place.`
}

function brokenLink({ path, contains = '' }: Described): TtError {
  const target = readlinkSync(path)
  const message = `The database ${path} cannot be opened: it is a symbolic link to ${target}, which is missing or cannot be reached.`
  const hint = `Nothing was saved. Mount the disk of that file, or restore the file. ${contains}`
  return new TtError('failure', message, { hint: hint.trimEnd() })
}

function explained<Result>(file: Described, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw explain(file, error)
  }
}

const busy = /database is locked|SQLITE_BUSY/i
const cannotOpen =
  /readonly|read-only|unable to open|EACCES|EROFS|EPERM|ENOENT|ENOTDIR|EEXIST|SQLITE_READONLY|SQLITE_CANTOPEN/i
const ioError = /disk I\/O error|EIO|SQLITE_IOERR/i

type Problem = [RegExp, message: (path: string) => string, hint: (file: Described) => string]

const problems: Problem[] = [
  [
    /not a database|malformed|SQLITE_NOTADB|SQLITE_CORRUPT/i,
    (path) => `The database ${path} is damaged or is not a database.`,
    ({ contains }) => restoreAdvice(contains),
  ],
  [
    /disk is full|ENOSPC|SQLITE_FULL/i,
    (path) => `The disk is full: ${path} could not be written.`,
    () => 'Nothing was saved. Free some space and repeat the command.',
  ],
  [
    cannotOpen,
    (path) => `The database ${path} cannot be opened for writing.`,
    () =>
      'Nothing was saved. Check the permissions of the file and its directory, or set TT_HOME to another directory.',
  ],
  [
    busy,
    (path) => `Another program keeps the database ${path} locked.`,
    () => 'Nothing was saved. Repeat the command when the other program is done.',
  ],
  [
    ioError,
    (path) => `The disk reported an error while using ${path}.`,
    () => 'Nothing was saved. Check the disk, then repeat the command.',
  ],
]

function toldBy(error: unknown): string {
  return error instanceof Error ? `${'code' in error ? error.code : ''} ${error.message}` : ''
}

function explain(file: Described, error: unknown): unknown {
  if (error instanceof TtError || !(error instanceof Error)) return error
  const told = toldBy(error)
  if (cannotOpen.test(told) && !hasDescriptors(4)) return tooFewDescriptors(error)
  const problem = problems.find(([pattern]) => pattern.test(told))
  if (!problem) return error
  const [, message, hint] = problem
  return new TtError('failure', message(file.path), {
    hint: hint(file),
    cause: error,
  })
}

/** File descriptors that the driver, two databases with their logs, and what a commit opens take together. */
const neededDescriptors = 13

/** Whether this process can open so many more files. */
function hasDescriptors(count: number): boolean {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'))
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && /^E[MN]FILE$/.test(String(error.code)))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

const devNull = process.platform === 'win32' ? String.raw`\\.\nul` : '/dev/null'

function tooFewDescriptors(cause?: unknown): TtError {
  return new TtError('failure', 'tt cannot open its files: too many files are open.', {
    hint: 'Nothing was saved. Raise the limit of file descriptors, for example with `ulimit -n 256`, then repeat the command.',
    cause,
  })
}
