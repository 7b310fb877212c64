import { type DatabaseInspection, inspectDatabase, inspectState } from '../../cache/inspect-state.js'
import { checkWorkspaceExists } from '../../cache/lost-workspace.js'
import { formatDuration } from '../../calendar/duration.js'
import type { Context } from '../../cli/context.js'
import { clientStatePath, workspacePath } from '../../config/paths.js'
import type { Profile } from '../../config/profile.js'
import { readProfiles } from '../../config/profiles.js'
import {
  countOtherPendingChanges,
  countPendingChanges,
  type OtherPendingChangeCount,
  type PendingChangeCount,
} from '../../outbox/pending-counts.js'
import type { Check } from '../views/check.js'

/** The state database of the profile. */
export async function stateCheck(ctx: Context, { stateKey }: Profile): Promise<Check> {
  const path = clientStatePath(ctx.paths, stateKey)
  const inspection = await inspectState(path)
  if (!inspection) return missingFile('state', path)
  const { version, supportedVersion: known, copies, flaws, missingColumns: missing } = inspection
  const copiesText = copies.length > 0 ? `; beside it are copies of before: ${copies.join(', ')}` : ''
  if (flaws.length > 0) {
    const hint = `It contains the changes that were not sent yet: keep a copy of it. Move its directory away to continue without them, or put a backup in its place${copiesText}.`
    return damagedFile('state', path, inspection, hint)
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
  const older = version < known ? `, which the next change makes ${known}` : ''
  return {
    check: 'state',
    state: 'ok',
    message: `${path} is sound: ${sizeOf(inspection)}, version ${version}${older}${copiesText}.`,
    hint: null,
  }
}

/** The database of the local workspace, where that is in force. */
export async function workspaceCheck(ctx: Context, { kind }: Profile): Promise<Check[]> {
  if (kind !== 'local') return []
  const path = workspacePath(ctx.paths)
  const inspection = await inspectDatabase(path)
  if (!inspection?.version) await checkWorkspaceExists(path, clientStatePath(ctx.paths, 'local'))
  if (!inspection) return [missingFile('workspace', path)]
  if (inspection.flaws.length > 0)
    return [damagedFile('workspace', path, inspection, 'Copy it away, then put a backup in its place.')]
  const { missingColumns } = await import('../../service/storage/storage.js')
  const missing = await missingColumns(path)
  if (missing.length > 0) return [incompleteSchema('workspace', path, missing)]
  const message = `${path} is sound: ${sizeOf(inspection)}, version ${inspection.version}.`
  return [{ check: 'workspace', state: 'ok', message, hint: null }]
}

function missingFile(check: 'state' | 'workspace', path: string): Check {
  return { check, state: 'ok', message: `Nothing is kept yet; it will be in ${path}.`, hint: null }
}

/** Its version number claims a schema that the file does not have. */
function incompleteSchema(
  check: 'state' | 'workspace',
  path: string,
  [first = '', ...more]: string[],
): Check {
  const others = more.length > 0 ? `, and ${more.length} more` : ''
  const message = `${path} does not have the schema of its version: the column ${first} is missing${others}.`
  return { check, state: 'error', message, hint: 'Copy it away, then put a backup in its place.' }
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

const sizeOf = ({ bytes }: DatabaseInspection) => `${Math.ceil(bytes / 1024)} KB`

/** What the service of the profile does not have yet. */
export async function outboxCheck(ctx: Context, { stateKey }: Profile): Promise<Check> {
  const pending = await countPendingChanges(clientStatePath(ctx.paths, stateKey))
  const { waiting, refused, conflict } = pending.count
  const hints = [
    waiting > 0 && '`tt sync` delivers what waits.',
    refused + conflict > 0 && '`tt sync list` shows what was set aside, and how to go on with it.',
  ]
  return {
    check: 'outbox',
    state: hints.some(Boolean) ? 'warning' : 'ok',
    message: pending.total === 0 ? 'Everything is delivered.' : `${pendingText(pending, ctx.now)}.`,
    hint: hints.filter(Boolean).join(' ') || null,
  }
}

/** What waits although its profile is not in force; a check for each such profile. */
export async function otherOutboxChecks(ctx: Context, stateKey = ''): Promise<Check[]> {
  const others = await countOtherPendingChanges(clientStatePath(ctx.paths, stateKey || 'local'), stateKey)
  return others.map((pending) => otherOutboxCheck(ctx, pending))
}

function otherOutboxCheck(ctx: Context, { stateKey, path, ...pending }: OtherPendingChangeCount): Check {
  const { profiles } = readProfiles(ctx.paths)
  const name =
    stateKey === 'local' ? 'local' : Object.keys(profiles).find((key) => profiles[key]?.state === stateKey)
  const [whose, hint] =
    name !== undefined
      ? [`the profile "${name}"`, `\`tt sync --profile ${name}\` delivers it.`]
      : stateKey.startsWith('environment-')
        ? ['an account of TT_BASE_URL and TT_TOKEN', '`tt sync` with the same two variables delivers it.']
        : [
            'an account that was signed out',
            `Nothing delivers it any more. The table outbox of ${path} holds it; remove the file when you need it no longer.`,
          ]
  return {
    check: 'other outbox',
    state: 'warning',
    message: `Of ${whose}: ${pendingText(pending, ctx.now)}.`,
    hint,
  }
}

function pendingText({ count, oldest }: PendingChangeCount, now: Date): string {
  const { waiting, held, refused, conflict } = count
  const parts = [
    waiting > 0 && `${waiting} ${waiting === 1 ? 'change waits' : 'changes wait'} to be delivered`,
    held > 0 && `${held} held here until the timer stops`,
    refused > 0 && `${refused} refused by the service`,
    conflict > 0 && `${conflict} in conflict with what was changed elsewhere`,
  ]
  const ageSeconds = oldest ? Math.max(0, now.getTime() - oldest.getTime()) / 1000 : 0
  return `${parts.filter(Boolean).join(', ')}; the oldest was typed ${formatDuration(ageSeconds)} ago`
}
