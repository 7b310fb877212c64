import { dayOf } from '../calendar/day.js'
import { formatDuration, parseDuration } from '../calendar/duration.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries.js'
import { entryView } from './views/entry.js'

export interface EditOptions {
  from?: string
  to?: string
  for?: string
  task?: string
  notes?: string
  create?: boolean
}

export const told = true
export const view = (ctx: Context) => entryView(ctx.now)

export async function run(ctx: Context, reference: string | undefined, options: EditOptions): Promise<Entry> {
  refuseImpossible(options)
  const tracking = await ctx.tracking()
  const entry = reference === undefined ? await latest(ctx) : await tracking.find(reference)
  const times = newTimes(entry, options, ctx.now)
  const link =
    options.task === undefined ? undefined : await (await ctx.catalog()).find(options.task, options)
  const edited = await tracking.edit(entry, { ...times, link, notes: options.notes })
  const end = edited.end ? formatTime(edited.end, edited.start) : 'running'
  ctx.say(
    `Changed entry ${edited.id}: ${labelOf(edited)}, ${formatDuration(durationOf(edited, ctx.now))} ` +
      `(${formatTime(edited.start, ctx.now)}–${end}).`,
  )
  return edited
}

function refuseImpossible(options: EditOptions) {
  const { from, to, for: duration, task, notes } = options
  if ([from, to, duration, task, notes].every((option) => option === undefined)) {
    throw new TtError('usage', 'Nothing to change was given.', {
      hint: 'Give --from, --to, --for, --task or --notes.',
    })
  }
  if (from !== undefined && to !== undefined && duration !== undefined) {
    throw new TtError('usage', '--from, --to and --for together say too much.', { hint: 'Give two of them.' })
  }
}

/** The running entry, or else the last finished one. */
async function latest(ctx: Context): Promise<Entry> {
  const tracking = await ctx.tracking()
  return (await tracking.running()) ?? tracking.find('@1')
}

/** A time without a date is on the day of the entry; a length moves the end, unless the end is what was given. */
function newTimes(entry: Entry, options: EditOptions, now: Date): { start?: Date; end?: Date } {
  // A start that the service has rounded up may lie ahead: whoever changes no time need not mend it.
  if ([options.from, options.to, options.for].every((option) => option === undefined)) return {}
  const given = options.from === undefined ? undefined : parseTime(options.from, now, dayOf(entry.start))
  const lengthMs = options.for === undefined ? undefined : parseDuration(options.for) * 1000
  const from = given ?? entry.start
  const end =
    options.to !== undefined
      ? parseTime(options.to, now, dayOf(from))
      : lengthMs !== undefined
        ? new Date(from.getTime() + lengthMs)
        : undefined
  const start =
    end && options.to !== undefined && lengthMs !== undefined ? new Date(end.getTime() - lengthMs) : given
  refuseEndBeforeStart(start ?? entry.start, end ?? entry.end, now)
  return { ...(start ? { start } : {}), ...(end ? { end } : {}) }
}

function refuseEndBeforeStart(start: Date, end: Date | null, now: Date) {
  if ((end ?? now) >= start) return
  const what = end
    ? `The end, ${formatTime(end, now)}, would be`
    : 'A running entry would begin in the future,'
  throw new TtError('usage', `${what} before the start, ${formatTime(start, now)}.`, {
    hint: 'A time without a date is on the day of the entry. Name the date to mean another day.',
  })
}
