import { setTimeout as pause } from 'node:timers/promises'
import { TtError } from './errors.js'
import { openSqlite } from './sqlite/open.js'

export interface LockOptions {
  /** How long to wait for the others, in milliseconds. */
  waitMs?: number
  /** Asked while it waits: true ends the waiting. */
  shouldStop?(): boolean
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
export async function withLock<Result>(
  path: string,
  work: () => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const outcome = await tryWithLock(path, async () => ({ result: await work() }), options)
  if (outcome) return outcome.result
  throw new TtError('failure', `Another tt process has been keeping ${path} locked for too long.`, {
    hint: 'End that process, or repeat the command when it is done.',
  })
}

/** The same, but answers undefined, and does nothing, when the lock is not free in time. */
export async function tryWithLock<Result>(
  path: string,
  work: () => Promise<Result>,
  { waitMs = 60_000, shouldStop = () => false }: LockOptions = {},
): Promise<Result | undefined> {
  const deadline = performance.now() + waitMs
  const isOver = () => performance.now() > deadline || shouldStop()
  const database = await patiently(isOver, () => openSqlite(path, unhurried))
  if (!database) return undefined
  try {
    const begun = await patiently(isOver, async () => {
      database.exec('BEGIN IMMEDIATE')
      return true
    })
    if (!begun) return undefined
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

async function patiently<Result>(isOver: () => boolean, attempt: () => Promise<Result>) {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (isOver()) return undefined
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
