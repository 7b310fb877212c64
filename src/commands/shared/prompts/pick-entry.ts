import type { Context } from '../../../cli/context.js'
import { dayOf } from '../../../lib/calendar/day.js'
import { formatTime } from '../../../lib/calendar/time.js'
import { TtError } from '../../../lib/errors.js'
import { dayMs } from '../../../lib/time-units.js'
import type { PlannedLink } from '../../../tracking/catalog/catalog.js'
import { durationOf, type Entry, labelOf } from '../../../tracking/entries/entry.js'
import { weekdayName } from '../../views/entry.js'

/** The periods searched for entries, in days; the second one is used when the first has none. */
const recentDays = [31, 366]

/**
 * Prompts for one of the recent entries, newest first and planned ones last. Throws TtError `usage` without a terminal, `not_found` when there are no entries.
 */
export async function pickEntry(ctx: Context, question: string): Promise<Entry> {
  const prompts = await ctx.terminal.prompts()
  if (!prompts) {
    throw new TtError('usage', ctx.terminal.cannotPromptReason, {
      hint: 'Give ENTRY: an ID, @ for the running one, or @1 for the last finished one.',
    })
  }
  const entries = await recentEntries(ctx)
  if (entries.length === 0) {
    throw new TtError('not_found', 'There are no entries in the last year to choose from.', {
      hint: 'Give the ID of an older entry. Run `tt log --since DATE` to list the entries.',
    })
  }
  const when = entries.map(timesOf)
  const width = Math.max(...when.map(({ length }) => length))
  return prompts.select(
    question,
    entries.map((entry, index) => ({
      name: [
        (when[index] ?? '').padEnd(width),
        ctx.durations.format(durationOf(entry, ctx.now)).padStart(7),
        labelOf(entry),
        entry.notes,
      ].join('  '),
      value: entry,
    })),
  )
}

/** Prompts for notes, with the notes of recent entries of that task link as suggestions; undefined for none. */
export async function pickNotes(ctx: Context, link: PlannedLink): Promise<string | undefined> {
  const prompts = await ctx.terminal.prompts()
  if (!prompts) return undefined
  const entries = await ctx.entries()
  const withNotes = await entries.listKnown(
    { start: daysBefore(ctx.now, 366) },
    ({ wire, notes }) => String(wire.task_link_id) === String(link.id) && notes.trim() !== '',
  )
  const known = [...new Set(withNotes.reverse().map(({ notes }) => notes))]
  return (await prompts.textWithHistory('Notes?', known)) || undefined
}

async function recentEntries(ctx: Context): Promise<Entry[]> {
  const entries = await ctx.entries()
  for (const days of recentDays) {
    const recent = await entries.list({ start: daysBefore(ctx.now, days) }, {})
    const newestFirst = recent.reverse()
    const isPlanned = ({ start }: Entry) => start > ctx.now
    if (newestFirst.length > 0)
      return [...newestFirst.filter((entry) => !isPlanned(entry)), ...newestFirst.filter(isPlanned)]
  }
  return []
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * dayMs)
}

/** "Wed 2024-05-01 09:00–10:30" */
function timesOf(entry: Entry): string {
  const { start, end } = entry
  const to = end ? formatTime(end, start) : 'running'
  return `${weekdayName(entry)} ${dayOf(start)} ${formatTime(start)}–${to}`
}
