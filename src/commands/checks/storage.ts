import { tracesOf } from '../../cli/context/services/open-workspace.js'
import type { Context } from '../../cli/context.js'
import { nextStepText } from '../../cli/next-step-text.js'
import { clientStatePath, deliveryLockPath, workspacePath } from '../../config/paths.js'
import { localName, nameOfState, type Profile, statePathOf } from '../../config/profile.js'
import { readProfiles } from '../../config/profiles.js'
import { sizeText } from '../../lib/text/words.js'
import { checkStateExists } from '../../outbox/cache/client-state.js'
import {
  checkWorkspaceExists,
  type DatabaseInspection,
  inspectDatabase,
  inspectState,
  missingClientColumns,
} from '../../outbox/cache/inspect-state.js'
import {
  countOtherPendingChanges,
  countPendingChanges,
  type OtherPendingChangeCount,
  type PendingChangeCount,
} from '../../outbox/pending.js'
import { type Check, passed } from '../views/check.js'

/** Checks the database of the profile. */
export function databaseCheck(ctx: Context, { stateKey, hasDelivery }: Profile): Promise<Check> {
  return hasDelivery ? stateCheck(ctx, stateKey) : workspaceCheck(ctx)
}

async function stateCheck(ctx: Context, stateKey: string): Promise<Check> {
  const path = clientStatePath(ctx.config.paths, stateKey)
  checkStateExists(path, deliveryLockPath(ctx.config.paths, stateKey))
  const inspection = await inspectState(path)
  if (!inspection) return missingFile('state', path)
  const { version, supportedVersion: known, copies, flaws, missingColumns: missing } = inspection
  const copiesText = copies.length > 0 ? `; older copies: ${copies.join(', ')}` : ''
  if (flaws.length > 0) {
    const hint = `It contains the pending changes: keep a copy. Move its directory away to continue without them, or restore a backup${copiesText}.`
    return damagedFile('state', path, inspection, await withRecoverySteps(ctx, hint))
  }
  if (version > known) {
    return {
      check: 'state',
      state: 'error',
      message: `${path} was written by a newer tt (version ${version}; this tt knows ${known}).`,
      hint: 'Update tt.',
    }
  }
  if (missing.length > 0) return incompleteSchema('state', path, missing)
  const older = version < known ? `, updated to ${known} by the next change` : ''
  const size = sizeText(inspection.bytes)
  return passed('state', `${path} is intact: ${size}, version ${version}${older}${copiesText}.`)
}

async function workspaceCheck(ctx: Context): Promise<Check> {
  const path = workspacePath(ctx.config.paths)
  const inspection = await inspectDatabase(path)
  if (!inspection?.version) await checkWorkspaceExists(path, tracesOf(ctx.config.paths))
  if (!inspection) return missingFile('workspace', path)
  if (inspection.flaws.length > 0) {
    const hint = await withRecoverySteps(ctx, 'Move it away, then restore a backup.')
    return damagedFile('workspace', path, inspection, hint)
  }
  const { missingColumns } = await import('../../service/storage/storage.js')
  const missing = [...(await missingColumns(path)), ...(await missingClientColumns(path))]
  if (missing.length > 0) return incompleteSchema('workspace', path, missing)
  const size = sizeText(inspection.bytes)
  return passed('workspace', `${path} is intact: ${size}, version ${inspection.version}.`)
}

/** Returns a hint with the newest backup and the command that saves what can be read. */
async function withRecoverySteps({ config }: Context, hint: string): Promise<string> {
  const { newestBackupText } = await import('../../backup/backup-path.js')
  return [hint, newestBackupText(config.paths), nextStepText({ action: 'salvage' })].filter(Boolean).join(' ')
}

function missingFile(check: 'state' | 'workspace', path: string): Check {
  return passed(check, `Not created yet; it will be ${path}.`)
}

/** Reports a database whose schema does not match its version number. */
function incompleteSchema(
  check: 'state' | 'workspace',
  path: string,
  [first = '', ...more]: string[],
): Check {
  const others = more.length > 0 ? `, and ${more.length} more` : ''
  const message = `${path} does not have the schema of its version: the column ${first} is missing${others}.`
  return { check, state: 'error', message, hint: 'Move it away, then restore a backup.' }
}

function damagedFile(
  check: 'state' | 'workspace',
  path: string,
  { flaws: [first = '', ...more] }: DatabaseInspection,
  hint: string,
): Check {
  const others = more.length > 0 ? `, and ${more.length} more` : ''
  return { check, state: 'error', message: `${path} is damaged (${first}${others}).`, hint }
}

/** Reports the pending and rejected changes of the profile; if its database is not sound, only those that are found. */
export async function outboxCheck(ctx: Context, { stateKey }: Profile, isSound: boolean): Promise<Check[]> {
  const pending = await countPendingChanges(statePathOf(ctx.config.paths, stateKey))
  if (!isSound && pending.total === 0) return []
  const { waiting, refused, conflict } = pending.count
  const hints = [
    waiting > 0 && 'Run `tt sync` to send pending changes.',
    refused + conflict > 0 && 'Run `tt sync list` to see rejected changes.',
  ]
  return [
    {
      check: 'outbox',
      state: hints.some(Boolean) ? 'warning' : 'ok',
      message: pending.total === 0 ? 'No pending changes.' : `${pendingText(ctx, pending)}.`,
      hint: hints.filter(Boolean).join(' ') || null,
    },
  ]
}

/** Reports the pending changes of other profiles, with a check for each. */
export async function otherOutboxChecks(ctx: Context, stateKey = ''): Promise<Check[]> {
  const others = await countOtherPendingChanges(
    clientStatePath(ctx.config.paths, stateKey || localName),
    stateKey,
  )
  return others.map((pending) => otherOutboxCheck(ctx, pending))
}

function otherOutboxCheck(ctx: Context, { stateKey, path, ...pending }: OtherPendingChangeCount): Check {
  const name = nameOfState(stateKey, readProfiles(ctx.config.paths))
  const [whose, hint] =
    name !== undefined
      ? [`Profile "${name}"`, `Run \`tt sync --profile ${name}\` to send them.`]
      : stateKey.startsWith('environment-')
        ? [
            'An account from TT_BASE_URL and TT_TOKEN',
            'Run `tt sync` with the same two variables to send them.',
          ]
        : [
            'A signed-out account',
            `They can no longer be sent. The table outbox of ${path} contains them; remove the file when you no longer need it.`,
          ]
  return {
    check: 'other outbox',
    state: 'warning',
    message: `${whose}: ${pendingText(ctx, pending)}.`,
    hint,
  }
}

function pendingText({ now, durations }: Context, { count, oldest }: PendingChangeCount): string {
  const { waiting, held, refused, conflict } = count
  const parts = [
    waiting > 0 && `${waiting} pending`,
    held > 0 && `${held} local until the timer stops`,
    refused > 0 && `${refused} rejected by the service`,
    conflict > 0 && `${conflict} in conflict with changes made elsewhere`,
  ]
  const ageSeconds = oldest ? Math.max(0, now.getTime() - oldest.getTime()) / 1000 : 0
  return `${parts.filter(Boolean).join(', ')}; age of the oldest: ${durations.format(ageSeconds)}`
}
