import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/maintenance.js'
import { chooseTarget } from './shared/backup-target.js'
import { type BackupRecord, backupView, contentsText, toBackupRecord } from './views/backup.js'

export const view = backupView
export const messageReplacesValue = true

/** Saves the user's data to a file; prompts before it replaces one. */
export async function run(
  ctx: Context,
  { args: { file } }: Input<typeof commands.backup>,
): Promise<BackupRecord | undefined> {
  const target = await chooseTarget(ctx, file, { name: 'tt-backup', extension: '.tar.gz' })
  if (target === undefined) return undefined
  const { createBackup } = await import('../backup/create-backup.js')
  const progress = ctx.terminal.withProgress(() => 'Saving …')
  const { contents, omittedCredentials } = await createBackup(ctx.config.paths, target, ctx.now).finally(() =>
    progress.end(),
  )
  ctx.terminal.message(`Saved ${target}: ${contentsText(contents)}.`)
  if (omittedCredentials > 0) {
    ctx.terminal.warn(
      'Not included: passwords, tokens and applications of the local workspace. `tt admin backup` includes them.',
    )
  }
  return toBackupRecord({ file: target, createdAt: ctx.now, contents })
}
