import type { Context } from '../../cli/context.js'
import { TtError } from '../../lib/errors.js'
import type { HistoryEntry } from '../../outbox/history.js'
import type { Direction } from '../../tracking/entries/undo.js'
import type { ChangedSettings } from './renamed-settings.js'

/**
 * Undoes or redoes a change of the catalog of the local workspace: one that is a change of its own, or the records that a
 * change of entries has created. Records that something else uses stay in the second case.
 *
 * Throws TtError `not_found` for a change that cannot be undone or redone any more; it is discarded, so that it does not
 * block those before it.
 */
export async function revertCatalogChange(
  ctx: Context,
  direction: Direction,
  { seq, title, steps, catalogChange: id = '' }: HistoryEntry,
): Promise<void> {
  const [workspace, state, tracker] = await Promise.all([ctx.workspace(), ctx.state(), ctx.tracker()])
  const { history, invoiced } = tracker
  const changes = await workspace.catalogChanges()
  const isOwn = steps.length === 0
  const revert = () => (direction === 'undo' ? changes.undo(id, { keepsUsed: !isOwn }) : changes.redo(id))
  if (!isOwn) return revert()
  try {
    await tracker.changes.withInvoicedConfirmed(() =>
      state.exclusively(async () => {
        invoiced.requireConfirmedIds(await changes.movedRecords(id, invoiced.localIds()))
        await revert()
        history.setState(seq, direction === 'undo' ? 'undone' : 'done')
      }),
    )
    const settings = await changes.settings(id)
    if (settings !== undefined) {
      const { revertSettings } = await import('./renamed-settings.js')
      await revertSettings(ctx, settings as ChangedSettings, direction === 'undo' ? 'before' : 'after')
    }
  } catch (error) {
    if (!(error instanceof TtError) || error.code !== 'rejected') throw error
    history.setState(seq, 'discarded')
    const participle = direction === 'undo' ? 'undone' : 'redone'
    throw new TtError('not_found', `"${title}" cannot be ${participle}. ${error.message}`, {
      nextStep: { action: 'next_change', direction },
    })
  }
}
