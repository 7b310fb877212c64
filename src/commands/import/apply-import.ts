import type { Context } from '../../cli/context.js'
import { closedPeriodOf } from '../../entries/closed-period.js'
import { applyLocally } from '../../importer/local-import.js'
import type { ImportPreview } from '../../importer/preview.js'
import { countText } from '../../lib/text/count-text.js'
import { openImportJournal, openLocalImports, settleLocalImports } from '../shared/local-imports.js'
import { saveForService, sendImport } from './apply-to-service.js'
import type { ImportResult } from './import-record.js'
import type { FileImport, RejectedEntry } from './read-files.js'

/** Completes or drops the imports of processes that were ended, and removes staging files that nothing uses. */
export async function settleImports(ctx: Context): Promise<void> {
  if (!ctx.config.profile.hasDelivery) await settleLocalImports(ctx)
  await (await openImportJournal(ctx)).removeUnused()
}

/** Returns the entries of a compared file to create or update in the closed period, before or after their update. */
export async function findClosed(ctx: Context, { importer }: FileImport): Promise<RejectedEntry[]> {
  const period = await closedPeriodOf(await (await ctx.reference()).recent('company', 0))
  if (!period) return []
  const rows = importer.staging.database
    .prepare(
      `SELECT position, line FROM entry WHERE action IN ('create', 'update')
         AND min(start_at, coalesce(json_extract(before, '$.start_at'), start_at)) < ? ORDER BY position`,
    )
    .all([period.end]) as Pick<RejectedEntry, 'position' | 'line'>[]
  const reason = `It is in the closed period, up to ${period.lastDay}.`
  return rows.map((row) => ({ ...row, field: 'time_start', reason }))
}

/** Returns the entries of a compared file that the local workspace does not accept. A service rejects them itself. */
export async function findRejected(ctx: Context, { importer }: FileImport): Promise<RejectedEntry[]> {
  if (ctx.config.profile.hasDelivery) return []
  const { imports } = await openLocalImports(ctx)
  return imports.invalidEntries(importer.staging.path)
}

/** A file with the preview by which it was imported. */
export interface AppliedFile {
  preview: ImportPreview
  /** undefined if there was nothing to import. */
  result: ImportResult | undefined
}

/** Whether an import creates or updates entries. */
export function isNeeded({ actions }: ImportPreview): boolean {
  return actions.create + actions.update > 0
}

/**
 * Creates and updates the entries of a file, as one change for `tt undo`.
 *
 * @param refresh returns the preview, after it has compared the file again if another process has imported entries since.
 *   Until they are saved, no other process imports any.
 */
export async function applyImport(
  ctx: Context,
  file: FileImport,
  refresh: () => Promise<ImportPreview>,
): Promise<AppliedFile> {
  const { hasDelivery } = ctx.config.profile
  const journal = await openImportJournal(ctx)
  const saved = await journal.locked(async (): Promise<AppliedFile & { isUnsent?: boolean }> => {
    const preview = await refresh()
    if (!isNeeded(preview)) return { preview, result: undefined }
    const entries = preview.actions.create + preview.actions.update
    const title = `import of ${file.name}, ${countText(entries, 'entry', 'entries')}`
    const result = hasDelivery
      ? await saveForService(ctx, file.importer, title)
      : await applyToWorkspace(ctx, file, title, entries)
    ctx.hooks.add({ title, count: entries })
    return { preview, result, isUnsent: hasDelivery }
  })
  const { preview, result, isUnsent } = saved
  return { preview, result: isUnsent ? await sendImport(ctx, preview.actions) : result }
}

async function applyToWorkspace(
  ctx: Context,
  file: FileImport,
  title: string,
  entries: number,
): Promise<ImportResult> {
  // If this fails, the next import decides whether the staging file is needed.
  file.isKept = true
  const parts = await openLocalImports(ctx)
  const progress = ctx.terminal.withProgress(() => `Importing ${countText(entries, 'entry', 'entries')}`)
  progress.show()
  try {
    const { staging } = file.importer
    const applied = await applyLocally(parts, { staging, title, entries, now: ctx.now })
    return { ...applied, pending: 0, rejected: 0 }
  } finally {
    progress.end()
  }
}
