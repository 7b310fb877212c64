import { realpathSync, statSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { datedPath } from '../../backup/backup-path.js'
import type { Context } from '../../cli/context.js'
import { confirmReplacement, requireDirectory, resolvePath } from '../../cli/file-paths.js'
import { TtError } from '../../lib/errors.js'

export interface DefaultName {
  /** The beginning of the name, before the date. */
  name: string
  /** With the dot. */
  extension: string
}

/**
 * Returns the absolute path of the file to write: `file`, a new name with the date in the directory `file`, or in the
 * working directory. Prompts if the file exists, and follows a symbolic link to it; undefined when the user declines. Throws TtError `usage` for a path
 * that is not a regular file, and `failure` for a missing directory.
 */
export async function chooseTarget(
  ctx: Context,
  file: string | undefined,
  defaults: DefaultName,
): Promise<string | undefined> {
  if (file === '' || file === '-') {
    throw new TtError('usage', 'A backup cannot be written to standard output.', {
      hint: 'Give the path of a file or a directory.',
    })
  }
  const path = resolvePath(ctx.host, file ?? '.')
  // `resolve` removes the separator, which says that the path is a directory.
  const isDirectory = file !== undefined && (file.endsWith('/') || file.endsWith(sep))
  requireDirectory(isDirectory ? path : dirname(path))
  const stats = statSync(path, { throwIfNoEntry: false })
  const target = stats?.isDirectory() ? datedPath(path, defaults.name, defaults.extension, ctx.now) : path
  const existing = statSync(target, { throwIfNoEntry: false })
  if (existing && !existing.isFile()) {
    throw new TtError('usage', `${target} is not a regular file.`, { hint: 'Use another path.' })
  }
  if (!(await confirmReplacement(ctx, target))) return undefined
  return existing ? realpathSync(target) : target
}
