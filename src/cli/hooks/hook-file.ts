import { accessSync, constants, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { hooksDirectory, type Paths } from '../../config/paths.js'
import { errorMessage } from '../../lib/errors.js'
import { isBrokenLink } from '../../lib/sqlite/database-errors.js'
import { quoteWord } from '../../lib/text/shell-quoting.js'

/** The names of hooks: the files in the directory of hooks that tt runs. */
export const hookNames = ['on-stop', 'on-start', 'on-change'] as const

export type HookName = (typeof hookNames)[number]

/** A hook that can run, or the reason why it must not, as a sentence. */
export type HookFile = { path: string; problem?: undefined } | { path: string; problem: string }

/** Returns the file of a hook; undefined if there is none. Another user must not be able to change what tt runs. */
export function findHook(paths: Paths, name: HookName): HookFile | undefined {
  const isWindows = process.platform === 'win32'
  const directory = hooksDirectory(paths)
  const path = join(directory, isWindows ? `${name}.exe` : name)
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats)
      return isBrokenLink(path) ? { path, problem: `${path} is a link to a missing file.` } : undefined
    if (!stats.isFile()) return { path, problem: `${path} is not a file.` }
    if (isWindows) return { path }
    const problem =
      accessProblem(statSync(directory), directory) ?? accessProblem(stats, path) ?? executionProblem(path)
    return problem === undefined ? { path } : { path, problem }
  } catch (error) {
    return { path, problem: `${path} cannot be read: ${errorMessage(error)}.` }
  }
}

/** Returns why another user could change a file or directory; undefined if none can, except root. */
function accessProblem({ uid, mode }: Stats, path: string): string | undefined {
  if (uid !== 0 && uid !== process.getuid?.()) return `${path} belongs to another user.`
  if ((mode & 0o022) === 0) return undefined
  return `Other users can write to ${path}. Run \`chmod go-w ${quoteWord(path)}\`.`
}

function executionProblem(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return undefined
  } catch {
    return `${path} is not executable. Run \`chmod +x ${quoteWord(path)}\`.`
  }
}
