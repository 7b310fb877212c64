import type { CommandValue, RestorePreview, RestoreResult } from '../backup/restore.js'
import { savedText } from '../cli/context/finish-restore.js'
import { removePromptFile } from '../cli/context/prompt-file.js'
import type { Context } from '../cli/context.js'
import { resolvePath } from '../cli/file-paths.js'
import type { Input } from '../cli/input.js'
import { promptFilePath, promptRecordPath } from '../config/paths.js'
import { formatTime } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/maintenance.js'
import type { RestoredJson } from '../records/shapes/accounts.js'
import { escapeText } from '../ui/text.js'
import { backupView, contentsText, toBackupRecord, workspaceText } from './views/backup.js'

export type RestoredRecord = RestoredJson

export const view = {
  ...backupView,
  columns: [...backupView.columns, { key: 'saved_as', title: 'Saved as' }],
}
export const messageReplacesValue = true
export const allowsUnreadableSettings = true

/** Replaces the user's data with a backup, after saving the current data; prompts first. */
export async function run(
  ctx: Context,
  { args: { file }, options }: Input<typeof commands.restore>,
): Promise<RestoredRecord | undefined> {
  const { config, host, terminal } = ctx
  if (file === '-') {
    throw new TtError('usage', 'A backup cannot be read from standard input.', {
      hint: 'Save it to a file first.',
      nextStep: { action: 'restore' },
    })
  }
  const path = resolvePath(host, file)
  const { restoreBackup } = await import('../backup/restore.js')
  const restored = await restoreBackup(config.paths, path, {
    now: ctx.now,
    uptimeMs: host.uptimeMs,
    confirm: (preview) =>
      terminal.confirm(`Restore ${path}?`, previewText(preview, ctx), { isPreview: true }),
    confirmCommands: (values) => confirmCommands(ctx, values, options.withCommands === true),
  })
  if (!restored) return undefined
  await removeTimerLine(ctx)
  const { preview, savedAs } = restored
  terminal.message(`Restored ${path}: ${contentsText(preview.backup)}.`)
  reportPrevious(ctx, restored)
  const createdAt = new Date(preview.manifest.created_at)
  const record = toBackupRecord({ file: path, createdAt, contents: preview.backup })
  return { ...record, saved_as: savedAs[0] ?? null }
}

/** Describes the backup and what it replaces, one part a line. */
function previewText({ manifest, backup, current, damaged }: RestorePreview, { now }: Context): string {
  const savedAt = formatTime(new Date(manifest.created_at), now)
  return [
    `The backup was saved at ${savedAt} by tt ${manifest.tt_version}: ${contentsText(backup)}.`,
    ...replacedParts(backup, current),
    ...damaged.map(({ path, newPath }) => `${path} is damaged; it will be renamed to ${newPath}.`),
  ].join('\n')
}

/** Returns whether to restore paths and commands, and prints those that are not restored. */
async function confirmCommands(
  { terminal }: Context,
  values: readonly CommandValue[],
  isGiven: boolean,
): Promise<boolean> {
  const list = values.map(commandText).join('\n')
  if (isGiven) {
    terminal.message(`Restoring these paths and commands:\n${list}`)
    return true
  }
  const facts = `The backup changes paths and commands, which tt uses as you:\n${list}`
  if (await terminal.confirmPart('Restore these paths and commands too?', facts)) return true
  terminal.warn(
    `Not restored, because they are paths or commands; the current values stay:\n${list}\nAdd --with-commands to restore them.`,
  )
  return false
}

function commandText({ kind, name, restored, current }: CommandValue): string {
  const now = current === undefined ? 'not set now' : `now ${escapeText(current)}`
  return `  ${kind} ${escapeText(name)}: ${escapeText(restored ?? 'not set')} (${now})`
}

function replacedParts(backup: RestorePreview['backup'], current: RestorePreview['current']): string[] {
  const states = current.states.flatMap(({ stateKey, profile, pendingKeys }) => {
    const saved = backup.states.find((state) => state.stateKey === stateKey)
    if (!saved || (pendingKeys.size === 0 && saved.pending === 0)) return []
    const lost = [...pendingKeys].filter((key) => !saved.pendingKeys.has(key)).length
    const count = lost > 0 ? `${pendingKeys.size}, ${lost} of them not in the backup` : pendingKeys.size
    const whose = profile === undefined ? 'a signed-out account' : `the profile "${profile}"`
    return [`The current pending changes of ${whose} (${count}) are replaced by ${saved.pending}.`]
  })
  return [
    ...(backup.workspace && current.workspace
      ? [`The current local workspace (${workspaceText(current.workspace, false)}) is replaced.`]
      : []),
    ...states,
    ...(backup.hasSettings && current.hasSettings ? ['The current settings are replaced.'] : []),
    ...(backup.hasAliases && current.hasAliases ? ['The current aliases are replaced.'] : []),
  ]
}

function reportPrevious({ terminal }: Context, { savedAs, renamedFiles }: RestoreResult) {
  for (const path of renamedFiles) terminal.warn(`The damaged database is now ${path}.`)
  for (const path of savedAs) terminal.message(savedText(path))
}

/** Removes the line about the running timer, which the next command writes again. */
async function removeTimerLine({ config, host }: Context): Promise<void> {
  const file = promptFilePath(config.paths, host.env, await config.uncheckedSetting('prompt_file'))
  if (file !== undefined) removePromptFile({ file, record: promptRecordPath(config.paths) })
}
