import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { formatTime, toRfc3339 } from '../lib/calendar/time.js'
import { TtError, type TtErrorDetails } from '../lib/errors.js'
import { quoteInvoiceNumber } from '../lib/text/shell-quoting.js'
import { countText } from '../lib/text/words.js'
import type { ClockReading } from '../outbox/delivery/settling-time.js'
import type { HistoryEntry, HistoryStep } from '../outbox/history.js'
import { rejectionSentence } from '../outbox/messages.js'
import { applyPending } from '../outbox/pending.js'
import { isRejected, type QueuedChange } from '../outbox/queued-change.js'
import type { commands } from '../program/declarations/entries.js'
import type { HistoryChangeJson } from '../records/shapes/entries.js'
import type { Expenses } from '../tracking/entries/expenses/expenses.js'
import { type Direction, Undo } from '../tracking/entries/undo.js'
import type { View } from '../ui/view.js'
import type { ChangedSettings } from './shared/renamed-settings.js'

/** A change that can be undone or redone, with its number in `tt undo N` or `tt redo N`. */
interface NumberedChange {
  n: number
  entry: HistoryEntry
}

function historyView(now: Date, empty: string): View<NumberedChange> {
  return {
    columns: [
      { key: 'n', title: 'N', align: 'right' },
      { key: 'at', title: 'Time', text: ({ entry }) => formatTime(entry.at, now) },
      { key: 'what', title: 'Change', canShrink: true },
    ],
    json: ({ n, entry }): HistoryChangeJson => ({
      n,
      at: toRfc3339(entry.at),
      what: entry.title,
      records: entry.steps.map(({ kind, record }) => ({ kind, id: record })),
    }),
    empty,
  }
}

/** Returns a line for each change: "  1  12:04  Added Website / Design, 09:00". */
function listChanges(changes: readonly NumberedChange[], now: Date): string {
  const width = String(changes.length).length
  return changes
    .map(({ n, entry }) => `  ${String(n).padStart(width)}  ${formatTime(entry.at, now)}  ${entry.title}`)
    .join('\n')
}

type UndoInput = Input<typeof commands.undo>

/** Default number of changes for `--list`. */
const defaultListed = 20

const texts = {
  undo: {
    verb: 'Undo',
    done: 'Undid',
    canBeDone: 'can be undone',
    none: 'There is nothing to undo.',
    details: { hint: 'Only changes made with tt on this machine can be undone.' },
  },
  redo: {
    verb: 'Redo',
    done: 'Redid',
    canBeDone: 'can be redone',
    none: 'There is nothing to redo.',
    details: { nextStep: { action: 'redo_undone' } } satisfies TtErrorDetails,
  },
}

export const undo = commandFor('undo')
export const redo = commandFor('redo')

function commandFor(direction: Direction) {
  return {
    canQueue: true,
    messageReplacesValue: ({ options }: UndoInput) => !options.list,
    allowsUnreadableSettings: ({ options }: UndoInput) => options.list === true,
    view: (ctx: Context) => historyView(ctx.now, texts[direction].none),
    run: (ctx: Context, { args, options }: UndoInput): Promise<NumberedChange[]> =>
      run(ctx, direction, args.n, options),
  }
}

async function run(
  ctx: Context,
  direction: Direction,
  count: number | undefined,
  options: Options<typeof commands.undo>,
): Promise<NumberedChange[]> {
  const undo = await createUndo(ctx)
  const changes = undo
    .list(direction, count ?? (options.list ? defaultListed : 1))
    .map((entry, at) => ({ n: at + 1, entry }))
  if (options.list) return changes
  const { none, details, done } = texts[direction]
  if (changes.length === 0) throw new TtError('not_found', none, details)
  const isSeveral = count !== undefined && count > 1
  if (
    (isSeveral || mustConfirm(ctx, direction, changes)) &&
    !(await isConfirmed(ctx, direction, count ?? 1, changes))
  )
    return []

  const { changes: pending, timer, outbox } = await ctx.tracker()
  await pending.deliverBacklog()
  const applied: NumberedChange[] = []
  for (const change of changes) {
    const rejected = await rejectedChanges(ctx, change.entry)
    if (!(await undo.apply(direction, change.entry))) {
      if (applied.length > 0) ctx.afterOutput.fail(new TtError('failure', 'No further change was made.'))
      break
    }
    if (change.entry.invoice === undefined) ctx.terminal.message(`${done}: ${change.entry.title}.`)
    const discarded = rejected.filter(({ seq }) => !outbox.get(seq))
    for (const { rejection } of discarded)
      ctx.terminal.message(
        `The service had rejected it: ${rejectionSentence(rejection)} The rejected change was discarded.`,
      )
    applied.push(change)
  }
  // The cached timer may have changed.
  await timer.refresh()
  return applied
}

/** Returns the rejected changes of the records of a change in the history. */
async function rejectedChanges(ctx: Context, { steps }: HistoryEntry): Promise<QueuedChange[]> {
  const { outbox } = await ctx.tracker()
  return steps
    .flatMap(({ kind, record }) => outbox.changesOf(kind, outbox.resolve(kind, record)))
    .filter(({ state }) => isRejected(state))
}

/** Whether a change of several records, a deletion, or an import is confirmed too. */
function mustConfirm(
  { terminal }: Context,
  direction: Direction,
  changes: readonly NumberedChange[],
): boolean {
  const isLarge = ({ steps, importId }: HistoryEntry) => steps.length !== 1 || importId !== undefined
  return (
    terminal.confirmsSeveral &&
    changes.some(({ entry }) => isLarge(entry) || deletedBy(direction, entry).length > 0)
  )
}

/** Returns the records that the undo or redo of a change deletes. */
function deletedBy(direction: Direction, { steps }: HistoryEntry): HistoryStep[] {
  return steps.filter(({ before, after }) => (direction === 'undo' ? before : after) === null)
}

/** Lists several changes and prompts; mentions if there are fewer than the user typed. */
async function isConfirmed(
  ctx: Context,
  direction: Direction,
  count: number,
  changes: readonly NumberedChange[],
): Promise<boolean> {
  const total = changes.length
  const fewer = total < count ? `Only ${countText(total, 'change')} ${texts[direction].canBeDone}. ` : ''
  const { outbox } = await ctx.tracker()
  const deleted = changes
    .flatMap(({ entry }) => deletedBy(direction, entry))
    .map(({ kind, record }) => `${kind} ${outbox.resolve(kind, record)}`)
  const facts = [
    `${fewer}Changes to ${direction}, in this order:\n${listChanges(changes, ctx.now)}`,
    ...(ctx.terminal.confirmsSeveral && deleted.length > 0 ? [`This deletes ${deleted.join(', ')}.`] : []),
  ].join('\n')
  const subject = { [direction]: changes.map(({ entry }) => entry) }
  const object = total === 1 ? 'this change' : `these ${total} changes`
  return ctx.terminal.confirm(`${texts[direction].verb} ${object}?`, facts, { subject })
}

async function createUndo(ctx: Context): Promise<Undo> {
  const { history, changes, outbox, entries, cache, timer } = await ctx.tracker()
  let expenses: Expenses | undefined
  return new Undo({
    history,
    changes,
    outbox,
    async read(kind, id) {
      const pending = timer.prefersKnown ? outbox.changesOf(kind, id) : []
      const cached = timer.prefersKnown ? cache?.get(kind, id)?.record : undefined
      // The delivery compares it with the record of the service.
      if (cached || pending.some(({ state }) => state === 'waiting'))
        return applyPending(cached, pending)?.record
      if (kind === 'entry') return entries.record(id)
      expenses = await ctx.expenses()
      return expenses.record(id)
    },
    readEntries: (bounds) => entries.records(bounds),
    async revertImport(direction, entry) {
      const { revertImport } = await import('./shared/local-imports.js')
      return revertImport(ctx, direction, entry)
    },
    revertCatalogChange: (direction, entry) => revertCatalogChange(ctx, direction, entry),
    async cancelInvoice({ invoice = '' }) {
      const { cancelInvoice } = await import('./shared/invoices/record-invoice.js')
      const cancellation = await cancelInvoice(ctx, { id: invoice })
      if (!cancellation) return false
      const number = quoteInvoiceNumber(cancellation.number)
      ctx.terminal.message(`To write its file, run: tt invoice open ${number}`)
      return true
    },
    readAt: () => (expenses ? earlier(entries, expenses) : entries.readAt),
    confirmOverwrite(direction, title, fields) {
      const facts = `"${title}" was changed elsewhere since (${fields.join(', ')}).`
      return ctx.terminal.confirm(`${texts[direction].verb} it anyway?`, facts)
    },
  })
}

interface Reader {
  isFresh: boolean
  readAt: ClockReading | undefined
}

/** Returns the earlier time of two readers; undefined unless everything came from the service. */
function earlier(one: Reader, other: Reader): ClockReading | undefined {
  if (!one.isFresh || !other.isFresh) return undefined
  if (!one.readAt || !other.readAt) return one.readAt ?? other.readAt
  return one.readAt.wallMs < other.readAt.wallMs ? one.readAt : other.readAt
}

/**
 * Undoes or redoes a change of the catalog of the local workspace: one that is a change of its own, or the records that a
 * change of entries has created. Records that something else uses stay in the second case.
 *
 * Throws TtError `not_found` for a change that cannot be undone or redone any more; it is discarded, so that it does not
 * block those before it.
 */
async function revertCatalogChange(
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
      const { revertSettings } = await import('./shared/renamed-settings.js')
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
