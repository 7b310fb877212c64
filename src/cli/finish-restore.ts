import { existsSync } from 'node:fs'
import { type Environment, type Paths, pathsFor, restorePlanPath } from '../config/paths.js'
import { TtError } from '../lib/errors.js'

/**
 * Completes a restore whose process was interrupted, before the command reads anything. Without one, this only looks for
 * a file.
 *
 * @param warn receives a message after the restore
 */
export async function finishInterruptedRestore(
  env: Environment,
  warn: (text: string) => void,
): Promise<void> {
  const paths = findPaths(env)
  if (!paths || !existsSync(restorePlanPath(paths))) return
  const { recoverRestore } = await import('../backup/restore-journal.js')
  if (await recoverRestore(paths)) warn('Completed a restore that was interrupted.')
}

/** Returns undefined for paths that cannot be determined: commands that need them report it. */
function findPaths(env: Environment): Paths | undefined {
  try {
    return pathsFor(env)
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}
