import { dayOf } from '../calendar/day.js'
import { formatDuration, parseDuration } from '../calendar/duration.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries.js'
import { overlapAccepted, type Tell } from './overlap.js'
import { pickEntry } from './picking.js'
import { entryView } from './views/entry.js'

export interface EditOptions {
  from?: string
  to?: string
  for?: string
  task?: string
  notes?: string
  create?: boolean
  pick?: boolean
}

export const told = true
export const view = (ctx: Context) => entryView(ctx.now)

export async function run(
  ctx: Context,
  reference: string | undefined,
  options: EditOptions,
): Promise<Entry | undefined> {
  refuseImpossible(options)
  const tracking = await ctx.tracking()
  const entry = await entryOf(ctx, reference, options)
  const times = newTimes(entry, options, ctx.now)
  const tell = await timesAccepted(ctx, entry, times)
  if (!tell) return undefined
  const link =
    options.task === undefined ? undefined : await (await ctx.catalog()).find(options.task, options)
  const edited = await tracking.edit(entry, { ...times, link, notes: options.notes })
  const end = edited.end ? formatTime(edited.end, edited.start) : 'running'
  ctx.say(
    `Changed entry ${edited.id}: ${labelOf(edited)}, ${formatDuration(durationOf(edited, ctx.now))} ` +
      `(${formatTime(edited.start, ctx.now)}–${end}).`,
  )
  await tell(edited)
  return edited
}

async function timesAccepted(
  ctx: Context,
  before: Entry,
  times: { start?: Date; end?: Date },
): Promise<Tell | undefined> {
  const { start = before.start, end = before.end ?? ctx.now } = times
  if (!times.start && !times.end) return async () => {}
  return overlapAccepted(ctx, { start, end, before, question: 'Change it all the same?' })
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

/** Without one that is given or picked, the running entry, or else the last finished one. */
async function entryOf(ctx: Context, reference: string | undefined, { pick }: EditOptions): Promise<Entry> {
  if (pick) return pickEntry(ctx, 'Which entry is to be changed?', reference)
  const tracking = await ctx.tracking()
  if (reference !== undefined) return tracking.find(reference)
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
