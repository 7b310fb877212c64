import { TimeoutError, withTimeout } from '../../api-client/http/timeout.js'
import { dayOf, startOfDay } from '../../calendar/day.js'
import { timeOf } from '../../calendar/interval.js'
import { formatTime } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import { durationOf, type Entry, entryFromJson, labelOf } from '../../entries/entry.js'
import { TtError } from '../../lib/errors.js'
import type { CheckedReminderJson } from '../../shapes/accounts.js'
import { targetCalendar } from '../shared/targets/target-calendar.js'

/** The facts that `tt remind check` reports. */
export type ReminderKind = CheckedReminderJson['kind']

export interface Reminder {
  kind: ReminderKind
  /** One sentence, which begins with words of this program. */
  message: string
  /** Identifies the fact on its day: it is reported once. */
  key: string
}

/** How long to wait for a service before the local data is used, in milliseconds. */
const serviceLimitMs = 5000

/**
 * Returns what is due now: a timer that has run for longer than `entry_limit`, a working day without tracked time, a day
 * below its target. Reads only. Throws TtError `usage` for invalid settings.
 */
export async function dueReminders(ctx: Context): Promise<Reminder[]> {
  const [settings, calendar] = [await ctx.config.settings(), await ctx.config.workCalendar()]
  const entries = await readToday(ctx)
  // Without the entries of today, only the timer is known.
  const running = entries ? entries.find(({ end }) => end === null) : await knownTimer(ctx)
  const due: Reminder[] = []
  if (running && durationOf(running, ctx.now) > settings.entryLimitSeconds)
    due.push(forgottenTimer(ctx, running, settings.entryLimitSeconds))
  if (!entries || running) return due
  const today = dayOf(ctx.now)
  const isPast = (minutes: number | undefined) => minutes !== undefined && minuteOfDay(ctx.now) >= minutes
  if (entries.length === 0) {
    if (calendar.isWorkingDay(today) && isPast(settings.remindTrackedBy))
      due.push({ kind: 'untracked', message: 'No time is tracked today.', key: 'untracked' })
  } else if (isPast(settings.remindTargetAt)) {
    const reminder = await belowTarget(ctx, entries)
    if (reminder) due.push(reminder)
  }
  return due
}

function forgottenTimer(ctx: Context, entry: Entry, limitSeconds: number): Reminder {
  const duration = ctx.durations.format(durationOf(entry, ctx.now))
  const limit = ctx.durations.format(limitSeconds)
  return {
    kind: 'entry_limit',
    message: `A timer has run for ${duration}, since ${formatTime(entry.start, ctx.now)}: ${labelOf(entry)}. That is longer than entry_limit (${limit}).`,
    key: `entry_limit ${entry.start.toISOString()}`,
  }
}

async function belowTarget(ctx: Context, entries: readonly Entry[]): Promise<Reminder | undefined> {
  const today = dayOf(ctx.now)
  const [earliest] = [...entries].sort((a, b) => a.start.getTime() - b.start.getTime())
  const calendar = await targetCalendar(ctx, { first: today, earliestStart: earliest?.start })
  const target = calendar.targetOf(today) ?? 0
  const midnight = startOfDay(today)
  const seconds = entries.reduce((sum, { start, end }) => {
    const from = start < midnight ? midnight : start
    const to = end === null || end > ctx.now ? ctx.now : end
    return sum + Math.max(0, Math.floor((to.getTime() - from.getTime()) / 1000))
  }, 0)
  if (seconds >= target) return undefined
  const [tracked, whole] = [ctx.durations.format(seconds), ctx.durations.format(target)]
  return {
    kind: 'below_target',
    message: `Today's tracked time is ${tracked} of ${whole}.`,
    key: 'below_target',
  }
}

/** Returns the entries of today and the running one; undefined with a warning if a service does not respond in time. */
async function readToday(ctx: Context): Promise<Entry[] | undefined> {
  const today = dayOf(ctx.now)
  const read = async () => {
    const reader = await ctx.entries()
    const entries = await reader.overlapping(timeOf({ first: today, last: today }))
    const running = await reader.running()
    // A running entry may be older than those that a service is searched for.
    return running && !entries.some(({ id }) => id === running.id) ? [...entries, running] : entries
  }
  if (ctx.isLocal) return read()
  try {
    return await withTimeout(serviceLimitMs, read)
  } catch (error) {
    if (!(error instanceof TimeoutError) && !(error instanceof TtError && error.code === 'unreachable'))
      throw error
    ctx.terminal.warn(
      'The service does not respond: only the timer that is known on this machine was checked.',
    )
    return undefined
  }
}

async function knownTimer(ctx: Context): Promise<Entry | undefined> {
  const timer = (await ctx.state()).snapshot('timer')?.value
  return timer ? entryFromJson(timer) : undefined
}

function minuteOfDay(time: Date): number {
  return time.getHours() * 60 + time.getMinutes()
}
