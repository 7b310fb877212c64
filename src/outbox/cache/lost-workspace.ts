import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { TtError } from '../../lib/errors.js'
import { isBrokenLink } from '../../lib/sqlite/broken-link.js'
import { cachedRecordIds } from './inspect-state.js'

/** The files that show that the local workspace had entries. */
export interface WorkspaceTraces {
  /** See `usedWorkspacePath`. */
  usedPath: string
  /** The former state, which refers to entries. */
  formerPath: string
}

/**
 * Throws TtError `failure` when the workspace at `path`, which is missing or has no tables, had entries or expenses
 * before. A command that made a new workspace would hide the loss.
 */
export async function checkWorkspaceExists(
  path: string,
  { usedPath, formerPath }: WorkspaceTraces,
): Promise<void> {
  // Opening a broken link reports it.
  if (isBrokenLink(path)) return
  const { entries, expenses } = existsSync(usedPath)
    ? { entries: [usedPath], expenses: [] }
    : await cachedRecordIds(formerPath)
  const [trace] = [...entries, ...expenses]
  if (trace === undefined) return
  const problem = existsSync(path) ? 'is empty' : 'is missing'
  throw new TtError('failure', `The local workspace ${path} ${problem}, but it had entries before.`, {
    hint: `To start over with an empty workspace, move the directory ${dirname(usedPath)} away.`,
    nextStep: { action: 'restore' },
  })
}
