import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { duration, timeOn, timeOrLast } from '../cli/option-values.js'
import { valueSource } from '../cli/read-input.js'
import { dayOf } from '../lib/calendar/day.js'
import type { Interval } from '../lib/calendar/interval.js'
import { formatTime, parseTime } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import { minuteMs } from '../lib/time-units.js'
import type { commands } from '../program/declarations/entries.js'
import type { PlannedLink } from '../tracking/catalog/catalog.js'
import { type Entry, labelOf } from '../tracking/entries/entry.js'
import type { Prompts } from '../ui/prompts.js'
import {
  endAfter,
  lengthAndTimes,
  readTypedTimes,
  type TypedTimes,
  typedTimesError,
  warnOfFutureTimes,
} from './adjust/times.js'
import { findDirectoryTask } from './shared/directory-task.js'
import { confirmOverlaps } from './shared/prompts/overlap.js'
import { checkSameContent } from './shared/targets/same-content.js'
import { entryView } from './views/entry.js'

type Times = Pick<Options<typeof commands.add>, 'from' | 'to' | 'for'>

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

export async function run(
  ctx: Context,
  { args, options }: Input<typeof commands.add>,
): Promise<Entry | undefined> {
  const { task, times } = taskAndTimes(args, ctx.now)
  const given = withOptions(await parseTimes(ctx, times), options)
  const { externalId } = options
  const missing = [task === undefined && 'task', options.notes === undefined && 'notes'] as const
  const directory = ctx.config.fromDirectory(...missing.filter((name) => name !== false))
  const notes = options.notes ?? directory?.notes
  const planTask = async (toCreate: { create?: boolean }): Promise<PlannedLink> => {
    const catalog = await ctx.catalog()
    if (task !== undefined) return catalog.plan(task, toCreate)
    if (directory?.task === undefined) return catalog.pick()
    return findDirectoryTask(catalog, directory.task, directory.path, toCreate)
  }
  const prompts = Object.keys(given).length === 0 ? await ctx.terminal.prompts() : undefined
  const chosen = prompts && (await planTask(options))
  const interval = await intervalOf(
    ctx,
    prompts ? await parseTimes(ctx, await promptForTimes(ctx, prompts)) : given,
  )
  const stored = externalId === undefined ? undefined : await findStored(ctx, externalId)
  if (stored) {
    const plan = await planTask({})
    const { start, end } = interval
    await checkSameContent('entry', stored.wire, {
      ...{
        time_start: start.toISOString(),
        time_end: end.toISOString(),
        task_link_id: plan.id ?? plan.label,
      },
      ...{ ...(notes === undefined ? {} : { notes }), external_id: externalId },
    })
    const text = `entry ${stored.id}, ${labelOf(stored)}, ${lengthAndTimes(ctx, stored)}`
    ctx.terminal.message(
      `Nothing was added: ${text}, has the external ID ${externalId} and the same content.`,
    )
    return stored
  }
  const plan = chosen ?? (await planTask(options))
  const warnOfOverlaps = await confirmOverlaps(ctx, {
    ...interval,
    label: plan.label,
    externalId,
    question: 'Add it anyway?',
  })
  if (!warnOfOverlaps) return undefined
  await plan.confirm()
  const writer = await ctx.entryWriter()
  const entry = await writer.add(plan, interval, { ...options, ...(notes === undefined ? {} : { notes }) })
  ctx.terminal.message(`Added ${labelOf(entry)}: ${lengthAndTimes(ctx, entry)}.`)
  warnOfFutureTimes(ctx, interval)
  await warnOfOverlaps(entry)
  return entry
}

/** Prompts for the times that the arguments lack. */
async function promptForTimes({ now }: Context, prompts: Prompts): Promise<TypedTimes> {
  const timesOf = (text: string) => {
    const times = readTypedTimes(text, now)
    if (!times) throw typedTimesError(text, now)
    return times
  }
  const answer = await prompts.text('When (9:00-11:30), or how long until now (2h)?', {
    findProblem(text) {
      try {
        timesOf(text)
        return undefined
      } catch (error) {
        if (error instanceof TtError) return error.message
        throw error
      }
    },
  })
  return timesOf(answer)
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

/** Divides the arguments: words that are all times are times without a task. */
function taskAndTimes({ task, times }: { task?: string; times: string[] }, now: Date) {
  if (task === undefined) return { task, times: {} }
  const alone = readTypedTimes([task, ...times].join(' '), now)
  if (alone) return { task: undefined, times: alone }
  if (times.length === 0) return { task, times: {} }
  const text = times.join(' ')
  const typed = readTypedTimes(text, now)
  if (!typed) throw typedTimesError(text, now)
  return { task, times: typed }
}

/** Parses the times of the arguments like those of the options. */
async function parseTimes(ctx: Context, { from, to, for: length }: TypedTimes): Promise<Times> {
  const source = valueSource(ctx, 'times')
  return {
    ...(from !== undefined && { from: await timeOrLast(from, source) }),
    ...(to !== undefined && { to: await timeOn(to, source) }),
    ...(length !== undefined && { for: await duration(length) }),
  }
}

/** Returns the times of the arguments and those of the options. Throws TtError `usage` for a time that is given twice. */
function withOptions(times: Times, { from, to, for: seconds }: Times): Times {
  const options = Object.entries({ from, to, for: seconds }).filter(([, value]) => value !== undefined)
  const merged: Times = { ...times, ...Object.fromEntries(options) }
  const given = Object.keys(times).length + options.length
  if (given <= 2 && Object.keys(merged).length === given) return merged
  throw new TtError(
    'usage',
    'Too many times: an entry needs a start and an end, or a duration with one of them.',
    {
      hint: 'Omit one of them.',
    },
  )
}

/**
 * Returns the current time in whole seconds, or the start of a timer that began within the last minute: `tt start`, then
 * `tt add TASK 2h`.
 */
async function endOfNow(ctx: Context): Promise<Date> {
  const now = parseTime('now', ctx.now)
  const { start } = (await ctx.tracker()).timer.known ?? { start: now }
  return start <= now && now.getTime() - start.getTime() < minuteMs ? start : now
}

/** Returns the time of the entry; a duration alone ends now. */
async function intervalOf(ctx: Context, { from: start, to, for: seconds }: Times): Promise<Interval> {
  const { now } = ctx
  const lengthMs = seconds === undefined ? undefined : seconds * 1000
  if (start === undefined && lengthMs !== undefined) {
    const end = to === undefined ? await endOfNow(ctx) : to(dayOf(now))
    return { start: new Date(end.getTime() - lengthMs), end }
  }
  if (start === undefined || (to === undefined && lengthMs === undefined)) {
    throw new TtError('usage', 'An entry needs a start and an end, or a duration.', {
      nextStep: {
        action: 'follow_example',
        commands: ['tt add Website/Design 9:00-11:30', 'tt add Website/Design 2h'],
      },
    })
  }
  const end = to === undefined ? new Date(start.getTime() + (lengthMs ?? 0)) : endAfter(to, start)
  if (end > start) return { start, end }
  throw new TtError(
    'usage',
    `The end, ${formatTime(end, now)}, is not after the start, ${formatTime(start, now)}.`,
    {
      hint: 'A time without a date is on the day of the start, or on the following day within 12 hours. Write the date as well, or use a duration, such as 2h.',
    },
  )
}
