import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkSchemaText, repairSchema } from './checked-text.js'
import { createConnection, type Sqlite } from './connection.js'
import { brokenLinkError, type DatabaseFile, isBrokenLink, withReadableErrors } from './database-errors.js'
import { type Driver, driverName, loadDriver } from './driver.js'
import { BusyWait } from './transactions.js'

export interface OpenOptions {
  /** How long to wait for another process that is writing, in milliseconds. */
  busyTimeoutMs?: number
  /** `full`: a commit returns once it is on the disk. `normal`: a power cut may lose the last commits. */
  durability?: 'full' | 'normal'
  /** Pages in the log before SQLite moves them into the file; default 1,000. Opening a database reads its log. */
  checkpointPages?: number
  /**
   * Upper bound in bytes for the log beside the file after closing; default 0, so that the file is complete without its
   * log. Moving the log into the file flushes the disk several times.
   */
  maxLogBytesAfterClose?: number
  /** Sentences for hints: what only this file contains, and how to continue without it. */
  recoveryAdvice?: string | undefined
}

/** The path that SQLite reserves for a database without a file. */
const inMemory = ':memory:'

/** The `checkpointPages` for a file that every short command opens. */
export const shortLogPages = 200

/** For a database whose log stays beside it, up to 1 MB: each page has 4096 bytes and a header of 24. */
export const keptLog = { checkpointPages: 250, maxLogBytesAfterClose: 1_048_576 }

/**
 * Opens the database file at `path`; creates it and its directory, for the owner only, when it does not exist.
 *
 * Rejects with TtError `failure` in plain words when `path` is a symbolic link without a target, the file is no
 * database or cannot be written, or the disk is full. So does every method of the result.
 */
export async function openSqlite(path: string, options: OpenOptions = {}): Promise<Sqlite> {
  const file = { path, recoveryAdvice: options.recoveryAdvice }
  const DriverConnection = await loadDriver()
  return withReadableErrors(file, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (path !== inMemory) createPrivateFile(file)
    const driver = new DriverConnection(path)
    const wait = new BusyWait(path, options.busyTimeoutMs)
    try {
      configure(driver, wait, options)
      checkSchemaText(driver)
    } catch (error) {
      driver.close()
      throw error
    }
    return createConnection(file, driver, wait, () =>
      closeDriver(path, driver, options.maxLogBytesAfterClose),
    )
  })
}

/**
 * Opens a database file for reading; resolves to undefined when it does not exist. It waits for nothing and changes
 * nothing: unless a process has a log open, not even a log is created. Rejects like `openSqlite`.
 */
export async function openReadOnly(path: string): Promise<Sqlite | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined
  const hasLog = statSync(logPathOf(path), { throwIfNoEntry: false }) !== undefined
  const DriverConnection = await loadDriver()
  const { pathToFileURL } = await import('node:url')
  // Both drivers accept the URIs of SQLite (sqlite.org/uri.html).
  const location = `${pathToFileURL(path).href}?${hasLog ? 'mode=ro' : 'immutable=1'}`
  return withReadableErrors({ path }, () => {
    const driver = new DriverConnection(location)
    checkSchemaText(driver)
    return createConnection({ path }, driver, new BusyWait(path, 0))
  })
}

/**
 * Opens a damaged database whose file the caller owns, to read what can be read: indexes are ignored, and invalid bytes of
 * texts are replaced. Rejects like `openSqlite`.
 *
 * @param schema the statement that creates each table, by its name; replaces a damaged one
 */
export async function openDamaged(path: string, schema: ReadonlyMap<string, string>): Promise<Sqlite> {
  const DriverConnection = await loadDriver()
  const file = { path, replacesInvalidText: true }
  return withReadableErrors(file, () => {
    const driver = new DriverConnection(path, { defensive: false })
    // Reads a schema with invalid rows (sqlite.org/pragma.html#pragma_writable_schema).
    driver.exec('PRAGMA writable_schema = ON')
    repairSchema(driver, schema)
    driver.close()
    const reopened = new DriverConnection(path)
    reopened.exec('PRAGMA writable_schema = ON')
    return createConnection(file, reopened, new BusyWait(path, 0))
  })
}

/**
 * Creates the file for its owner only before SQLite writes to it; SQLite gives its log the same mode. Throws TtError
 * `failure` for a symbolic link without a target: SQLite would create the target, although the file may be on a disk
 * that is not mounted.
 */
function createPrivateFile(file: DatabaseFile) {
  const { path } = file
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) closeSync(openSync(path, 'wx', 0o600))
    else if (stats.mode & 0o077) chmodSync(path, 0o600)
  } catch {
    if (isBrokenLink(path)) throw brokenLinkError(file)
    // Another process has created it, SQLite cannot use it either and reports why, or it belongs to another user.
  }
}

function configure(driver: Driver, wait: BusyWait, { durability, checkpointPages }: OpenOptions) {
  const pragmas = `
    PRAGMA busy_timeout = ${wait.driverTimeoutMs};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability ?? 'full'};
    PRAGMA wal_autocheckpoint = ${checkpointPages ?? 1000};
    PRAGMA foreign_keys = ON`
  // When two processes open a new file at once, both set its journal mode, and one of them fails at once.
  wait.repeatWhileBusy(() => driver.exec(pragmas))
}

/** The last connection to each file that leaves its log beside it. */
const openDrivers = new Map<string, WeakRef<Driver>>()

/**
 * Closes a connection. If a log may remain, the last connection of this process stays open until the process ends:
 * `node:sqlite` moves the log into the file when it closes the last one.
 */
function closeDriver(path: string, driver: Driver, maxLogBytes = 0) {
  moveLogIntoFile(path, driver, maxLogBytes)
  if (maxLogBytes === 0 || driverName === 'libsql' || openDrivers.get(path)?.deref()) driver.close()
  else openDrivers.set(path, new WeakRef(driver))
}

/**
 * Moves the log into the file, so that the file is complete without it; the drivers do not do this while a statement is
 * in use. When another process is using the database or the disk is full, the changes stay in the log, which is safe.
 */
function moveLogIntoFile(path: string, driver: Driver, maxLogBytes: number) {
  try {
    const logBytes = statSync(logPathOf(path), { throwIfNoEntry: false })?.size ?? 0
    // Without its log, a file that contains only its header is not a database.
    if (logBytes > maxLogBytes || (logBytes > 0 && statSync(path).size <= headerBytes))
      driver.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // The next command tries again.
  }
}

/** Size of the first page of a new database. */
const headerBytes = 4096

/** Returns the path of the log of an existing database; for a symbolic link, SQLite writes it beside the target. */
function logPathOf(path: string): string {
  return `${realpathSync.native(path)}-wal`
}
