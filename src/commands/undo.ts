import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import type { Expenses } from '../tracking/expenses.js'
import { Undo } from '../tracking/undo.js'
import { historyView, type Undoable } from './views/history.js'

export interface UndoOptions {
  list?: boolean
}

export const told = (_levels: string | undefined, options: UndoOptions) => !options.list
export const view = (ctx: Context) => historyView(ctx.now)

/** How many changes `--list` shows when no number is given. */
const listed = 20

export async function run(
  ctx: Context,
  levels: string | undefined,
  options: UndoOptions,
): Promise<Undoable[]> {
  const count = levelsOf(levels)
  const undo = await undoOf(ctx)
  const entries = undo.list(count ?? (options.list ? listed : 1)).map((entry, at) => ({ n: at + 1, entry }))
  if (options.list) return entries
  if (entries.length === 0) {
    throw new TtError('not_found', 'There is nothing to undo.', {
      hint: 'What was changed with tt on this machine can be undone.',
    })
  }
  const { changes, timer } = await ctx.room()
  await changes.deliverDue()
  const undone: Undoable[] = []
  for (const one of entries) {
    if (!(await undo.takeBack(one.entry))) break
    ctx.say(`Undid: ${one.entry.what}.`)
    undone.push(one)
  }
  // What `tt status --cached` shows may have changed.
  await timer.refresh()
  return undone
}

async function undoOf(ctx: Context): Promise<Undo> {
  const { history, changes, outbox, tracking } = await ctx.room()
  let expenses: Expenses | undefined
  return new Undo({
    history,
    changes,
    outbox,
    async read(kind, id) {
      if (kind === 'entry') return tracking.record(id)
      expenses = await ctx.expenses()
      return expenses.record(id)
    },
    isFresh: () => tracking.fresh && expenses?.fresh !== false,
    confirm: (question) => ctx.confirm(question),
  })
}

function levelsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new TtError('usage', `"${text}" is no number of changes.`, {
    hint: '`tt undo 2` takes back the last two changes; `tt undo --list` shows them.',
  })
}
