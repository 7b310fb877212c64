import { setTimeout as pause } from 'node:timers/promises'
import { TtError } from './errors.js'
import { monotonicMs } from './monotonic-clock.js'
import { openSqlite } from './sqlite/open.js'

/** `tryWithLock` with one lock. */
export type TryWithLock = <Result>(
  work: () => Promise<Result>,
  options: LockOptions,
) => Promise<Result | undefined>

export interface LockOptions {
  /** How long to wait for other processes, in milliseconds. */
  waitMs?: number
  /** Called repeatedly during the wait; true ends it. */
  shouldStop?(): boolean
}

/**
 * Runs `work` while holding the lock at `path`, which one process at a time can hold, and returns its result.
 *
 * The lock is a write transaction on a separate SQLite file that stays empty. A lock file would remain after its process
 * is killed; the operating system releases this lock when the process ends, in any way. The process polls for it
 * instead of waiting inside SQLite, so that timers and Ctrl-C still work.
 *
 * Throws TtError `failure` when the lock is not free in time.
 */
export async function withLock<Result>(
  path: string,
  work: () => Promise<Result>,
  options: LockOptions = {},
): Promise<Result> {
  const outcome = await tryWithLock(path, async () => ({ result: await work() }), options)
  if (outcome) return outcome.result
  throw new TtError('failure', `Another tt process did not release the lock ${path} in time.`, {
    hint: 'End that process, or repeat the command when it has finished.',
  })
}

/** Like `withLock`, but returns undefined without running `work` when the lock is not free in time. */
export async function tryWithLock<Result>(
  path: string,
  work: () => Promise<Result>,
  { waitMs = 60_000, shouldStop = () => false }: LockOptions = {},
): Promise<Result | undefined> {
  const deadline = performance.now() + waitMs
  const isOver = () => performance.now() > deadline || shouldStop()
  const database = await retryWhileBusy(isOver, () => openSqlite(path, lockFileOptions))
  if (!database) return undefined
  try {
    const isLocked = await retryWhileBusy(isOver, async () => {
      database.exec('BEGIN IMMEDIATE')
      return true
    })
    if (!isLocked) return undefined
    try {
      return await work()
    } finally {
      database.rollBack()
    }
  } finally {
    database.close()
  }
}

/** Skips writing to disk, because the file has no content, and disables waiting in SQLite. */
const lockFileOptions = { busyTimeoutMs: 0, durability: 'normal' } as const

async function retryWhileBusy<Result>(isOver: () => boolean, attempt: () => Promise<Result>) {
  const checkWait = watchWait('Waiting for another tt process to finish.')
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (isOver()) return undefined
      checkWait()
    }
    // A random pause: processes that retry at the same moment would all fail again.
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

/** How long to wait for another process before reporting it, in milliseconds. */
export const silentWaitMs = 1_000

type WaitListener = (text: string) => void

let listener: WaitListener | undefined

/**
 * Sets the function that receives the message about a long wait of this process for another one, once; undefined for
 * none. Returns the previous function. It belongs to the process, not to a database: any part of a command may wait.
 */
export function setWaitListener(next: WaitListener | undefined): WaitListener | undefined {
  const previous = listener
  listener = next
  return previous
}

/** Returns a function to call during a wait. It reports the wait, with this text, once it is long. */
export function watchWait(text: string, startMs = monotonicMs()): () => void {
  return () => {
    if (!listener || monotonicMs() - startMs < silentWaitMs) return
    const report = listener
    listener = undefined
    report(text)
  }
}
