import { setTimeout as pause } from 'node:timers/promises'
import { TtError } from './errors.js'
import { openSqlite } from './sqlite.js'

export interface LockOptions {
  /** How long to wait for the others, in milliseconds. */
  waitMs?: number
}

/**
 * Runs `work` while no other process runs something under the lock at `path`, and answers what it answers.
 *
 * The lock is a write transaction on a SQLite file of its own, in which nothing is ever written. A lock file would have
 * to be removed by whoever made it, and stays when that one is killed; this lock the system gives back by itself at
 * the end of a process, however it ends. It is asked for again and again instead of waited for inside SQLite, so that
 * the process goes on hearing timers and Ctrl-C.
 *
 * Throws TtError `failure` when it is not free in time.
 */
export async function locked<Result>(
  path: string,
  work: () => Promise<Result>,
  { waitMs = 60_000 }: LockOptions = {},
): Promise<Result> {
  const deadline = performance.now() + waitMs
  const database = await patiently(path, deadline, () => openSqlite(path, unhurried))
  try {
    await patiently(path, deadline, async () => database.exec('BEGIN IMMEDIATE'))
    try {
      return await work()
    } finally {
      database.rollBack()
    }
  } finally {
    database.close()
  }
}

/** Nothing is written, so nothing need reach the disk; and it is never SQLite that waits. */
const unhurried = { busyTimeoutMs: 0, durability: 'normal' } as const

async function patiently<Result>(path: string, deadline: number, attempt: () => Promise<Result>) {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() > deadline) {
        throw new TtError('failure', `Another tt process has been keeping ${path} locked for too long.`, {
          hint: 'End that process, or repeat the command when it is done.',
          cause: error,
        })
      }
    }
    // Not all at the same moment, or they would all find it taken at the same moment.
    await pause(5 + Math.random() * 40)
  }
}

function isBusy(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : ''
    if (/database is locked|database table is locked/i.test(cause.message) || code.startsWith('SQLITE_BUSY'))
      return true
  }
  return false
}
