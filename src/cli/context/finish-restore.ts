import { existsSync } from 'node:fs'
import {
  backupDirectory,
  type Environment,
  type Paths,
  pathsFor,
  restoreDirectory,
  restorePlanPath,
} from '../../config/paths.js'
import { TtError } from '../../lib/errors.js'
import type { Host } from '../host.js'

/**
 * Completes a restore whose process was interrupted, before the command reads anything, and removes the files of an
 * interrupted backup. Without one, this only looks for files.
 *
 * @param warn receives a message after the restore
 */
export async function finishInterruptedRestore(
  { env, now, uptimeMs }: Pick<Host, 'env' | 'now' | 'uptimeMs'>,
  warn: (text: string) => void,
): Promise<void> {
  const paths = findPaths(env)
  if (!paths || ![backupDirectory(paths), restoreDirectory(paths)].some((path) => existsSync(path))) return
  if (!existsSync(restorePlanPath(paths))) {
    const { removeUnfinished } = await import('../../backup/restore-journal.js')
    return removeUnfinished(paths)
  }
  const { recoverRestore } = await import('../../backup/restore.js')
  const replaced = await recoverRestore(paths, { now: now(), uptimeMs })
  if (!replaced) return
  warn(['Completed a restore that was interrupted.', ...replaced.savedAs.map(savedText)].join('\n'))
}

/** Returns the message about the backup of the data that a restore has replaced. */
export function savedText(path: string): string {
  return `The previous data is saved in ${path}. To go back, run \`tt restore\` with it.`
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
