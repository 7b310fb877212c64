import { parseDuration } from '../calendar/duration.js'
import type { Interval } from '../calendar/interval.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../cli/context.js'
import { type Entry, labelOf } from '../entries/entry.js'
import { TtError } from '../lib/errors.js'
import { lengthAndTimes, parseEndAfter, warnOfFutureTimes } from './adjust/times.js'
import type { CommandInput } from './shared/command.js'
import { confirmOverlaps } from './shared/prompts/overlap.js'
import { checkSameContent } from './shared/targets/same-content.js'
import { entryView } from './views/entry.js'

export interface AddOptions {
  from?: string
  to?: string
  for?: string
  notes?: string
  externalId?: string
  create?: boolean
}

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

export async function run(
  ctx: Context,
  { args: { task }, options }: CommandInput<AddOptions, { task: string }>,
): Promise<Entry | undefined> {
  const interval = intervalOf(options, ctx.now)
  const { externalId } = options
  const notes = options.notes ?? ctx.config.fromDirectory('notes')?.notes
  const stored = externalId === undefined ? undefined : await findStored(ctx, externalId)
  if (stored) {
    const link = await (await ctx.catalog()).find(task)
    const { start, end } = interval
    await checkSameContent('entry', stored.wire, {
      ...{ time_start: start.toISOString(), time_end: end.toISOString(), task_link_id: link.id },
      ...{ ...(notes === undefined ? {} : { notes }), external_id: externalId },
    })
    const text = `entry ${stored.id}, ${labelOf(stored)}, ${lengthAndTimes(ctx, stored)}`
    ctx.terminal.message(
      `Nothing was added: ${text}, has the external ID ${externalId} and the same content.`,
    )
    return stored
  }
  // Prompts before it resolves the task, so that declining creates none.
  const warnOfOverlaps = await confirmOverlaps(ctx, { ...interval, externalId, question: 'Add it anyway?' })
  if (!warnOfOverlaps) return undefined
  const link = await (await ctx.catalog()).find(task, options)
  const writer = await ctx.entryWriter()
  const entry = await writer.add(link, interval, { ...options, ...(notes === undefined ? {} : { notes }) })
  ctx.terminal.message(`Added ${labelOf(entry)}: ${lengthAndTimes(ctx, entry)}.`)
  warnOfFutureTimes(ctx, interval)
  await warnOfOverlaps(entry)
  return entry
}

/** Returns the entry with this external ID: a second one must not be in the history, where its undo would delete the first. */
async function findStored(ctx: Context, externalId: string): Promise<Entry | undefined> {
  try {
    return await (await ctx.entries()).findByExternalId(externalId, { silent: true })
  } catch (error) {
    // The service decides when it receives the new entry.
    if (error instanceof TtError) return undefined
    throw error
  }
}

function intervalOf(options: AddOptions, now: Date): Interval {
  const { from, to, for: duration } = options
  if (from === undefined || (to === undefined) === (duration === undefined)) {
    throw new TtError('usage', 'An entry needs --from and either --to or --for.', {
      hint: 'For example: tt add Website/Design --from 9:30 --for 1h30m',
    })
  }
  const start = parseTime(from, now)
  const end =
    to === undefined
      ? new Date(start.getTime() + parseDuration(duration ?? '') * 1000)
      : parseEndAfter(to, start, now)
  if (end > start) return { start, end }
  throw new TtError(
    'usage',
    `The end, ${formatTime(end, now)}, is not after the start, ${formatTime(start, now)}.`,
    {
      hint: 'A time without a date is on the day of --from, or on the following day within 12 hours. Write the date as well, or use --for with a duration, such as --for 2h.',
    },
  )
}
