import { existsSync } from 'node:fs'
import { tryWithLock, withLock } from '../lib/lock.js'
import { backgroundLockPath, backgroundStopPath, clientStatePath, type Paths } from './paths.js'

/**
 * Runs `work` while no process delivers the changes of a profile in the background: one that runs ends after its request.
 * Throws TtError `failure` if it does not end in time.
 *
 * @param stateKey the key of its client state; without one, or without its file, there is no such process
 */
export async function withoutBackgroundDelivery<Result>(
  paths: Paths,
  stateKey: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (stateKey === undefined || !existsSync(clientStatePath(paths, stateKey))) return work()
  return withLock(backgroundStopPath(paths, stateKey), () =>
    withLock(backgroundLockPath(paths, stateKey), work),
  )
}

/** Whether another process waits until the delivery in the background has ended. */
export async function isBackgroundUnwanted(paths: Paths, stateKey: string): Promise<boolean> {
  const path = backgroundStopPath(paths, stateKey)
  if (!existsSync(path)) return false
  return (await tryWithLock(path, async () => true, { waitMs: 0 })) === undefined
}
