import {
  countOtherPendingChanges,
  countPendingChanges,
  type DatabaseInspection,
  inspectDatabase,
  inspectState,
  type OtherPendingChangeCount,
  type PendingChangeCount,
} from '../../cache/inspect-state.js'
import { checkWorkspaceExists } from '../../cache/lost-workspace.js'
import { formatDuration } from '../../calendar/duration.js'
import type { Context } from '../../cli/context.js'
import { clientStatePath, workspacePath } from '../../config/paths.js'
import type { Profile } from '../../config/profile.js'
import { readProfiles } from '../../config/profiles.js'
import type { Check } from '../views/check.js'

/** The state database of the profile. */
export async function stateCheck(ctx: Context, { stateKey }: Profile): Promise<Check> {
  const path = clientStatePath(ctx.paths, stateKey)
  const found = await inspectState(path)
  if (!found) return notYet('state', path)
  const { version, supportedVersion: known, copies, flaws, missingColumns: missing } = found
  const kept = copies.length > 0 ? `; beside it are copies of before: ${copies.join(', ')}` : ''
  if (flaws.length > 0) {
    const advice = `It contains the changes that were not sent yet: keep a copy of it. Move its directory away to continue without them, or put a backup in its place${kept}.`
    return damaged('state', path, found, advice)
  }
  if (version > known) {
    return {
      check: 'state',
      state: 'error',
      message: `${path} was written by a newer tt (version ${version}; this tt knows ${known}).`,
      hint: 'Update tt.',
    }
  }
  if (missing.length > 0) return unusable('state', path, missing)
  const older = version < known ? `, which the next change makes ${known}` : ''
  return {
    check: 'state',
    state: 'ok',
    message: `${path} is sound: ${sizeOf(found)}, version ${version}${older}${kept}.`,
    hint: null,
  }
}

/** The database of the local workspace, where that is in force. */
export async function workspaceCheck(ctx: Context, { kind }: Profile): Promise<Check[]> {
  if (kind !== 'local') return []
  const path = workspacePath(ctx.paths)
  const found = await inspectDatabase(path)
  if (!found?.version) await checkWorkspaceExists(path, clientStatePath(ctx.paths, 'local'))
  if (!found) return [notYet('workspace', path)]
  if (found.flaws.length > 0)
    return [damaged('workspace', path, found, 'Copy it away, then put a backup in its place.')]
  const { missingColumns } = await import('../../service/storage/storage.js')
  const missing = await missingColumns(path)
  if (missing.length > 0) return [unusable('workspace', path, missing)]
  const message = `${path} is sound: ${sizeOf(found)}, version ${found.version}.`
  return [{ check: 'workspace', state: 'ok', message, hint: null }]
}

function notYet(check: 'state' | 'workspace', path: string): Check {
  return { check, state: 'ok', message: `Nothing is kept yet; it will be in ${path}.`, hint: null }
}

/** Its version number claims a schema that the file does not have. */
function unusable(check: 'state' | 'workspace', path: string, [first = '', ...more]: string[]): Check {
  const others = more.length > 0 ? `, and ${more.length} more` : ''
  const message = `${path} does not have the schema of its version: the column ${first} is missing${others}.`
  return { check, state: 'error', message, hint: 'Copy it away, then put a backup in its place.' }
}

function damaged(
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
  const undelivered = await countPendingChanges(clientStatePath(ctx.paths, stateKey))
  const { waiting, refused, conflict } = undelivered.count
  const advice = [
    waiting > 0 && '`tt sync` delivers what waits.',
    refused + conflict > 0 && '`tt sync list` shows what was set aside, and how to go on with it.',
  ]
  return {
    check: 'outbox',
    state: advice.some(Boolean) ? 'warning' : 'ok',
    message: undelivered.total === 0 ? 'Everything is delivered.' : `${inWords(undelivered, ctx.now)}.`,
    hint: advice.filter(Boolean).join(' ') || null,
  }
}

/** What waits although its profile is not in force; a check for each such profile. */
export async function otherOutboxChecks(ctx: Context, stateKey = ''): Promise<Check[]> {
  const found = await countOtherPendingChanges(clientStatePath(ctx.paths, stateKey || 'local'), stateKey)
  return found.map((undelivered) => readOther(ctx, undelivered))
}

function readOther(ctx: Context, { stateKey, path, ...undelivered }: OtherPendingChangeCount): Check {
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
    message: `Of ${whose}: ${inWords(undelivered, ctx.now)}.`,
    hint,
  }
}

function inWords({ count, oldest }: PendingChangeCount, now: Date): string {
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
