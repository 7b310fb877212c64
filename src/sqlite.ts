import { chmodSync, mkdirSync, statSync } from 'node:fs'
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
}

/** For a file that every short command opens. */
export const shortLog = 200

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
 * words when the file is no database, cannot be written, or the disk is full; so does every call on the result.
 */
export async function openSqlite(path: string, options: OpenOptions = {}): Promise<Sqlite> {
  const Database = await databaseClass()
  return explained(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
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
      keepPrivate(path)
    } catch (error) {
      driver.close()
      throw error
    }
    return wrapped(path, driver)
  })
}

/**
 * Opens a database file to read it and no more; undefined where there is none. Nothing is made, changed or waited for:
 * where no process has a log of it open, not even a log is made. Rejects like `openSqlite`.
 */
export async function openToRead(path: string): Promise<Sqlite | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const hasLog = statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined
  const Database = await databaseClass()
  // Both drivers take the names of SQLite (sqlite.org/uri.html).
  const location = `${pathToFileURL(path).href}?${hasLog ? 'mode=ro' : 'immutable=1'}`
  return explained(path, () => wrapped(path, new Database(location)))
}

async function databaseClass(): Promise<DatabaseClass> {
  return builtin ?? ((await import('libsql')).default as DatabaseClass)
}

function wrapped(path: string, driver: Driver): Sqlite {
  const exec = (sql: string) => explained(path, () => void driver.exec(sql))
  const rollBack = () => {
    try {
      driver.exec('ROLLBACK')
    } catch {
      // There is nothing to end any more: the error before this one is the one to tell.
    }
  }
  return {
    exec,
    rollBack,
    prepare(sql) {
      const statement = explained(path, () => driver.prepare(sql))
      return {
        get reader() {
          return yieldsRows(sql)
        },
        all: (parameters = []) => explained(path, () => statement.all(...bound(parameters))),
        // Not the driver's own `get`: libsql adds a field of its own to that row.
        get: (parameters = []) => explained(path, () => statement.all(...bound(parameters))[0]),
        run: (parameters = []) => explained(path, () => statement.run(...bound(parameters))),
        iterate: (parameters = []) => explained(path, () => statement.iterate(...bound(parameters))),
      }
    },
    transaction(work) {
      exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        exec('COMMIT')
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

function keepPrivate(path: string) {
  try {
    chmodSync(path, 0o600)
  } catch {
    // Somebody else's file, or a file system without modes: it opened, so it is usable as it is.
  }
}

function explained<Result>(path: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw explain(path, error)
  }
}

const busy = /database is locked|SQLITE_BUSY/i

const problems: [RegExp, message: (path: string) => string, hint: string][] = [
  [
    /not a database|malformed|SQLITE_NOTADB|SQLITE_CORRUPT/i,
    (path) => `The database ${path} is damaged or is not a database.`,
    'Nothing was changed. Move the file away to start afresh, or put a backup in its place.',
  ],
  [
    /disk is full|ENOSPC|SQLITE_FULL/i,
    (path) => `The disk is full: ${path} could not be written.`,
    'Nothing was saved. Free some space and repeat the command.',
  ],
  [
    /readonly|read-only|unable to open|EACCES|EROFS|EPERM|ENOTDIR|EEXIST|SQLITE_READONLY|SQLITE_CANTOPEN/i,
    (path) => `The database ${path} cannot be opened for writing.`,
    'Nothing was saved. Check the permissions of the file and its directory, or set TT_HOME to another directory.',
  ],
  [
    busy,
    (path) => `Another program keeps the database ${path} locked.`,
    'Nothing was saved. Repeat the command when the other program is done.',
  ],
  [
    /disk I\/O error|EIO|SQLITE_IOERR/i,
    (path) => `The disk reported an error while using ${path}.`,
    'Nothing was saved. Check the disk, then repeat the command.',
  ],
]

function toldBy(error: unknown): string {
  return error instanceof Error ? `${'code' in error ? error.code : ''} ${error.message}` : ''
}

function explain(path: string, error: unknown): unknown {
  if (error instanceof TtError || !(error instanceof Error)) return error
  const told = toldBy(error)
  const problem = problems.find(([pattern]) => pattern.test(told))
  if (!problem) return error
  const [, message, hint] = problem
  return new TtError('failure', message(path), { hint, cause: error })
}
