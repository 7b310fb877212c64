import type { Context } from '../../cli/context.js'
import { importLockPath } from '../../config/paths.js'
import { applyLocally } from '../../import-export/importer/local-import.js'
import type { ImportPreview } from '../../import-export/importer/preview.js'
import { withLock } from '../../lib/lock.js'
import { countText } from '../../lib/text/words.js'
import { closedPeriodOf } from '../../tracking/entries/closed-period.js'
import { openLocalImports } from '../shared/local-imports.js'
import { saveForService, sendImport } from './apply-to-service.js'
import type { ImportResult } from './import-record.js'
import type { FileImport, RejectedEntry } from './read-files.js'

/** Returns the entries of a compared file to create or update in the closed period, before or after their update. */
export async function findClosed(ctx: Context, { importer }: FileImport): Promise<RejectedEntry[]> {
  const period = await closedPeriodOf(await (await ctx.reference()).recent('company', 0))
  if (!period) return []
  const { database, tables } = importer.staging
  const rows = database
    .prepare(
      `SELECT position, line FROM ${tables.entry} WHERE action IN ('create', 'update')
         AND min(start_at, coalesce(json_extract(before, '$.start_at'), start_at)) < ? ORDER BY position`,
    )
    .all([period.end]) as Pick<RejectedEntry, 'position' | 'line'>[]
  const reason = `It is in the closed period, up to ${period.lastDay}.`
  return rows.map((row) => ({ ...row, field: 'time_start', reason }))
}

/** A file with the preview by which it was imported. */
export interface AppliedFile {
  preview: ImportPreview
  /** undefined if there was nothing to import. */
  result: ImportResult | undefined
}

/**
 * Returns the preview, after it has compared the file again if another process has changed the profile since. Until the
 * import is saved, no other process imports anything.
 */
type Refresh = () => Promise<ImportPreview>

/** Where the entries of files are imported. */
export interface ImportTarget {
  /** Returns the entries of a compared file that the profile is known not to accept. */
  findRejected(file: FileImport): Promise<RejectedEntry[]>
  /** Creates and updates the entries of a file, as one change for `tt undo`. */
  apply(file: FileImport, refresh: Refresh): Promise<AppliedFile>
}

/** Returns the profile as the target of an import. */
export async function openImportTarget(ctx: Context): Promise<ImportTarget> {
  return ctx.config.profile.hasDelivery ? serviceTarget(ctx) : workspaceTarget(ctx)
}

/** Whether an import creates or updates entries. */
export function isNeeded({ actions }: ImportPreview): boolean {
  return actions.create + actions.update > 0
}

/** The local workspace: an import is one transaction. */
async function workspaceTarget(ctx: Context): Promise<ImportTarget> {
  const [parts, { changes, invoiced }] = [await openLocalImports(ctx), await ctx.tracker()]
  const { state, imports } = parts
  return {
    findRejected: ({ importer }) => imports.invalidEntries(importer.staging.tables),
    async apply(file, refresh) {
      const { staging } = file.importer
      const progress = ctx.terminal.withProgress(() => `Importing ${file.name}`)
      progress.show()
      const applied = await changes
        .withInvoicedConfirmed(() =>
          imports.inBulk(() =>
            state.exclusively(async (): Promise<AppliedFile> => {
              const preview = await refresh()
              if (!isNeeded(preview)) return { preview, result: undefined }
              invoiced.requireConfirmedIds({ entry: updatedEntries(file) })
              const { created, updated } = await applyLocally(parts, {
                ...{ staging, title: titleOf(file, preview), now: ctx.now },
              })
              return { preview, result: { created, updated, pending: 0, rejected: 0 } }
            }),
          ),
        )
        .finally(() => progress.end())
      if (applied.result) announce(ctx, file, applied.preview)
      return applied
    },
  }
}

/** A service: an import is saved at once and then sent, and the service rejects entries itself. */
function serviceTarget(ctx: Context): ImportTarget {
  const { paths, profile } = ctx.config
  return {
    findRejected: async () => [],
    async apply(file, refresh) {
      const { changes } = await ctx.tracker()
      const preview = await changes.withInvoicedConfirmed(() =>
        withLock(importLockPath(paths, profile.stateKey), async () => {
          const current = await refresh()
          if (isNeeded(current)) await saveForService(ctx, file.importer, titleOf(file, current))
          return current
        }),
      )
      if (!isNeeded(preview)) return { preview, result: undefined }
      announce(ctx, file, preview)
      return { preview, result: await sendImport(ctx, preview.actions) }
    },
  }
}

/** Returns the IDs of the entries whose time or task a compared file changes. */
function updatedEntries({ importer }: FileImport): string[] {
  const { database, tables } = importer.staging
  const rows = database
    .prepare(
      `SELECT record FROM ${tables.entry} JOIN ${tables.combination} AS target ON target.id = combination
       WHERE action = 'update' AND (start_at IS NOT json_extract(before, '$.start_at')
         OR end_at IS NOT json_extract(before, '$.end_at')
         OR CAST(json_extract(task_link, '$') AS TEXT) IS NOT CAST(json_extract(before, '$.task_link') AS TEXT))`,
    )
    .all() as { record: string }[]
  return rows.map(({ record }) => record)
}

function announce(ctx: Context, file: FileImport, preview: ImportPreview) {
  ctx.hooks.add({ title: titleOf(file, preview), count: countOf(preview) })
}

/** Returns the title in the history: "import of toggl.csv, 1,204 entries". */
function titleOf({ name }: FileImport, preview: ImportPreview): string {
  return `import of ${name}, ${countText(countOf(preview), 'entry', 'entries')}`
}

function countOf({ actions }: ImportPreview): number {
  return actions.create + actions.update
}
