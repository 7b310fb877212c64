import {
  commitOutcomeUnknownError,
  type DatabaseFile,
  isIoError,
  toReadableError,
} from './database-errors.js'
import type { Driver } from './driver.js'

/**
 * Commits the open transaction. Throws TtError `failure` after ending the transaction: unless its hint says that the
 * outcome is unknown, nothing of the transaction is saved.
 */
export function commit(file: DatabaseFile, driver: Driver): void {
  try {
    driver.exec('COMMIT')
  } catch (error) {
    rollBack(driver)
    throw isIoError(error) && !overwriteFailedCommit(driver)
      ? commitOutcomeUnknownError(file.path, error)
      : toReadableError(file, error)
  }
}

/** Rolls the open transaction back, if there is one: SQLite ends a transaction on some errors, such as a full disk. */
export function rollBack(driver: Driver): void {
  try {
    driver.exec('ROLLBACK')
  } catch {
    // The transaction has ended already. The caller reports the error that led here.
  }
}

/**
 * Overwrites what a failed commit has left in the log; returns false when that fails too. SQLite writes a transaction to
 * the log before it syncs the log: after a failed sync this process considers the transaction lost, but the next process
 * that reads the log finds it complete.
 */
function overwriteFailedCommit(driver: Driver): boolean {
  try {
    driver.exec('BEGIN IMMEDIATE')
    const [row] = driver.prepare('PRAGMA user_version').all() as { user_version: number }[]
    driver.exec(`PRAGMA user_version = ${row?.user_version ?? 0}; COMMIT`)
    return true
  } catch {
    rollBack(driver)
    return false
  }
}
