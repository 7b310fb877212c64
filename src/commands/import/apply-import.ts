import type { Context } from '../../cli/context.js'
import { applyLocally } from '../../importer/local-import.js'
import type { ImportPreview } from '../../importer/preview.js'
import { countText } from '../../lib/text/count-text.js'
import { openImportJournal, openLocalImports, settleLocalImports } from '../shared/local-imports.js'
import { applyToService } from './apply-to-service.js'
import type { ImportResult } from './import-record.js'
import type { FileImport, RejectedEntry } from './read-files.js'

/** Completes or drops the imports of processes that were ended, and removes staging files that nothing uses. */
export async function settleImports(ctx: Context): Promise<void> {
  if (ctx.isLocal) await settleLocalImports(ctx)
  await (await openImportJournal(ctx)).removeUnused()
}

/** Returns the entries of a compared file that the local workspace does not accept. A service rejects them itself. */
export async function findRejected(ctx: Context, { importer }: FileImport): Promise<RejectedEntry[]> {
  if (!ctx.isLocal) return []
  const { imports } = await openLocalImports(ctx)
  return imports.invalidEntries(importer.staging.path)
}

/** Creates and updates the entries of a compared file, as one change for `tt undo`. */
export async function applyImport(
  ctx: Context,
  file: FileImport,
  { actions }: ImportPreview,
): Promise<ImportResult> {
  const { name, importer } = file
  const entries = actions.create + actions.update
  const title = `import of ${name}, ${countText(entries, 'entry', 'entries')}`
  if (!ctx.isLocal) return applyToService(ctx, importer, title, actions)
  // If this fails, the next import decides whether the staging file is needed.
  file.isKept = true
  const parts = await openLocalImports(ctx)
  const progress = ctx.terminal.withProgress(() => `Importing ${countText(entries, 'entry', 'entries')}`)
  progress.show()
  try {
    const { staging } = importer
    return {
      ...(await applyLocally(parts, { staging, title, entries, now: ctx.now })),
      pending: 0,
      rejected: 0,
    }
  } finally {
    progress.end()
  }
}
