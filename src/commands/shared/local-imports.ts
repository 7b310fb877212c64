import type { Context } from '../../cli/context.js'
import { type LocalImportParts, revertLocally } from '../../import-export/importer/local-import.js'
import { countText } from '../../lib/text/words.js'
import type { HistoryEntry } from '../../outbox/history.js'
import type { ChangesSince } from '../../service/imports/entry-imports.js'
import type { Direction } from '../../tracking/entries/undo.js'

/** Opens the imports into the local workspace. */
export async function openLocalImports(ctx: Context): Promise<LocalImportParts> {
  const [state, workspace, { history }] = await Promise.all([ctx.state(), ctx.workspace(), ctx.tracker()])
  return { state, history, imports: await workspace.imports() }
}

/** Undoes or redoes an import into the local workspace. Returns false if the user declines the prompt. */
export async function revertImport(
  ctx: Context,
  direction: Direction,
  entry: HistoryEntry,
): Promise<boolean> {
  const confirm = (changes: ChangesSince) => ctx.terminal.confirm('Undo it anyway?', factsOf(entry, changes))
  const [parts, { changes, invoiced }] = [await openLocalImports(ctx), await ctx.tracker()]
  const { firstCreated, lastCreated, updated } = await parts.imports.entryIds(entry.importId ?? '')
  const requireConfirmed = () => {
    const isCreated = (id: number) => firstCreated <= id && id <= lastCreated
    const deleted = direction === 'undo' ? invoiced.localIds().entry.filter(isCreated) : []
    invoiced.requireConfirmedIds({ entry: [...deleted, ...updated] })
  }
  const isReverted = await changes.withInvoicedConfirmed(() =>
    revertLocally(parts, { direction, entry, confirm, requireConfirmed }),
  )
  if (isReverted) ctx.hooks.add({ title: `${direction} of ${entry.title}`, count: null })
  return isReverted
}

function factsOf({ title }: HistoryEntry, { changed, deleted }: ChangesSince): string {
  const parts = [
    changed > 0 && `${countText(changed, 'entry', 'entries')} changed`,
    deleted > 0 && `${countText(deleted, 'entry', 'entries')} deleted`,
  ]
  return `"${title}" was changed since: ${parts.filter(Boolean).join(', ')}.`
}
