import type { Context } from '../../cli/context.js'
import { importLockPath } from '../../config/paths.js'
import type { Importer } from '../../import-export/importer/importer.js'
import { applyLocally } from '../../import-export/importer/local-import.js'
import type { ImportPreview } from '../../import-export/importer/preview.js'
import { saveServiceImport } from '../../import-export/importer/service-import.js'
import { TtError } from '../../lib/errors.js'
import { withLock } from '../../lib/lock.js'
import { countText } from '../../lib/text/words.js'
import { deliveryWarnings, rejectedMessage } from '../../outbox/messages.js'
import { isRejected } from '../../outbox/queued-change.js'
import type { Sync, SyncProgress, SyncResult } from '../../outbox/sync.js'
import { closedPeriodOf } from '../../tracking/entries/closed-period.js'
import { openLocalImports } from '../shared/local-imports.js'
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

/** Upper bound for the rejected changes that are printed; `tt sync list` has all. */
const maxWarnings = 10

/** Saves the changes of an import. */
async function saveForService(ctx: Context, { staging }: Importer, title: string): Promise<undefined> {
  const [state, { changes }] = await Promise.all([ctx.state(), ctx.tracker()])
  await saveServiceImport({ state, changes }, { staging, title })
}

/** Sends the saved changes of an import. Those that are not sent stay pending; rejected ones are warnings. */
async function sendImport(ctx: Context, { create, update }: ImportPreview['actions']): Promise<ImportResult> {
  const sync = await (await ctx.tracker()).sync()
  const { rejected } = await deliver(ctx, sync, (onProgress) => sync.deliver({ onProgress }))
  const rejectedCreates = rejected.filter(({ op }) => op === 'create').length
  return {
    created: Math.max(0, create - rejectedCreates),
    updated: Math.max(0, update - (rejected.length - rejectedCreates)),
    pending: pendingCount(sync),
    rejected: rejected.length,
  }
}

/** Sends the pending changes, such as those of an import whose process was ended, and warns of earlier rejected ones. */
export async function deliverPending(ctx: Context): Promise<void> {
  const sync = await (await ctx.tracker()).sync()
  const rejected = sync.list().filter(({ state }) => isRejected(state)).length
  if (rejected > 0)
    ctx.terminal.warn(`${countText(rejected, 'earlier change')} rejected by the service.`, {
      action: 'list_changes',
    })
  if (pendingCount(sync) === 0) return
  const { delivered } = await deliver(ctx, sync, (onProgress) => sync.deliver({ onProgress }))
  const pending = pendingCount(sync)
  const parts = [
    ...(delivered > 0 ? [`Sent ${countText(delivered, 'earlier change')}`] : []),
    ...(pending > 0 ? [`${countText(pending, 'earlier change')} not sent yet`] : []),
  ]
  if (parts.length > 0) ctx.terminal.message(`${parts.join('; ')}.`)
}

/** Runs a delivery with its progress, and prints what was rejected or not sent. */
async function deliver(
  ctx: Context,
  sync: Sync,
  run: (onProgress: (progress: SyncProgress) => void) => Promise<SyncResult>,
): Promise<SyncResult> {
  const startMs = ctx.host.now().getTime()
  let label = ''
  const progress = ctx.terminal.withProgress(() => label)
  try {
    const result = await run(({ delivered, remaining }) => {
      const seconds = (ctx.host.now().getTime() - startMs) / 1000
      const rate = seconds > 0 ? ` (${Math.round(delivered / seconds).toLocaleString('en')} a second)` : ''
      const total = countText(delivered + remaining, 'change')
      label = `Sending: ${delivered.toLocaleString('en')} of ${total}${rate}`
      progress.tick()
    })
    printProblems(ctx, sync, result)
    return result
  } finally {
    progress.end()
  }
}

function printProblems(ctx: Context, sync: Sync, result: SyncResult) {
  const { rejected, failure } = result
  const notices = [
    ...rejected.slice(0, maxWarnings).map(rejectedMessage),
    ...deliveryWarnings(result, ctx.host.now()),
  ]
  for (const { message, nextStep } of notices) ctx.terminal.warn(message, nextStep)
  const pending = pendingCount(sync)
  if (failure && pending > 0)
    ctx.terminal.warn(`Saved locally: ${failure.message}`, { action: 'sync', count: pending })
  if (rejected.length === 0) return
  const error = new TtError('rejected', `The service rejected ${countText(rejected.length, 'change')}.`, {
    nextStep: { action: 'list_changes' },
  })
  ctx.afterOutput.fail(error)
}

function pendingCount(sync: Sync): number {
  return sync.list().filter(({ state }) => !isRejected(state)).length
}
