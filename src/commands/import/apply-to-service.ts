import type { Context } from '../../cli/context.js'
import type { Importer } from '../../import-export/importer/importer.js'
import type { ImportPreview } from '../../import-export/importer/preview.js'
import { saveServiceImport } from '../../import-export/importer/service-import.js'
import { TtError } from '../../lib/errors.js'
import { countText } from '../../lib/text/words.js'
import { deliveryWarnings, rejectedMessage } from '../../outbox/messages.js'
import { isRejected } from '../../outbox/queued-change.js'
import type { Sync, SyncProgress, SyncResult } from '../../outbox/sync.js'
import type { ImportResult } from './import-record.js'

/** Upper bound for the rejected changes that are printed; `tt sync list` has all. */
const maxWarnings = 10

/** Saves the changes of an import. */
export async function saveForService(ctx: Context, { staging }: Importer, title: string): Promise<undefined> {
  const [state, { changes }] = await Promise.all([ctx.state(), ctx.tracker()])
  await saveServiceImport({ state, changes }, { staging, title })
}

/** Sends the saved changes of an import. Those that are not sent stay pending; rejected ones are warnings. */
export async function sendImport(
  ctx: Context,
  { create, update }: ImportPreview['actions'],
): Promise<ImportResult> {
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
