import { formatDuration } from '../calendar/duration.js'
import { formatTime } from '../calendar/time.js'
import type { Context } from '../cli/context.js'
import { durationOf, type Entry, labelOf } from '../entries/entry.js'
import { pickEntry } from './shared/pick-entry.js'
import { entryView } from './views/entry.js'

export interface RmOptions {
  pick?: boolean
}

export const quietOnTerminal = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx.now)

export async function run(
  ctx: Context,
  references: string[],
  options: RmOptions,
): Promise<Entry[] | undefined> {
  const tracking = await ctx.entries()
  // Each is found before the first is deleted: a wrong id among them deletes nothing.
  const matches: Entry[] = []
  for (const reference of references) matches.push(await tracking.find(reference))
  if (options.pick || references.length === 0)
    matches.push(await pickEntry(ctx, 'Which entry should be deleted?', references[0]))
  const entries = [...new Map(matches.map((entry) => [String(entry.id), entry])).values()]
  const described = entries.map(
    (entry) =>
      `${labelOf(entry)}, ${formatTime(entry.start, ctx.now)}, ${formatDuration(durationOf(entry, ctx.now))}`,
  )
  const [only] = described
  const question =
    entries.length === 1 ? `Delete ${only}?` : `Delete ${entries.length} entries: ${described.join('; ')}?`
  if (!(await ctx.confirm(question))) return undefined
  const removed = await tracking.remove(entries)
  for (const what of described) ctx.message(`Deleted ${what}.`)
  return removed
}
