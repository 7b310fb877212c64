import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { TtError } from '../lib/errors.js'
import { cachedRecordIds } from './inspect-state.js'

/**
 * Throws TtError `failure` when the workspace at `path`, which is missing or has no tables, had entries or expenses
 * before: the client state at `statePath` refers to them. A command that made a new workspace would hide the loss.
 */
export async function checkWorkspaceExists(path: string, statePath: string): Promise<void> {
  const { entries, expenses } = await cachedRecordIds(statePath)
  const [example] = [...entries.map((id) => `entry ${id}`), ...expenses.map((id) => `expense ${id}`)]
  if (example === undefined) return
  const problem = existsSync(path) ? 'is empty' : 'is missing'
  throw new TtError(
    'failure',
    `The local workspace ${path} ${problem}, but it had entries before: ${statePath} refers to ${example}.`,
    {
      hint: `To restore the workspace, copy a backup to ${path}. To start over with an empty workspace, move the directory ${dirname(statePath)} away.`,
      nextStep: { action: 'restore' },
    },
  )
}
