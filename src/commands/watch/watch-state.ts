import type { Context } from '../../cli/context.js'
import { addDays, type Day, dayOf, startOfWeek, type Weekday } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { durationSeconds, type Interval, overlap, timeOf } from '../../lib/calendar/interval.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import type { WatchEventJson } from '../../records/shapes/watch.js'
import { type TargetProgress, targetProgress } from '../../report/target-progress.js'
import type { WorkCalendar } from '../../report/work-calendar.js'
import { type Entry, entryJson } from '../../tracking/entries/entry.js'
import { longSleepSeconds } from '../shared/confirm-end.js'
import { targetCalendar } from '../shared/targets/target-calendar.js'
import { inPeriod, type LoggedEntry } from '../views/logged-entry.js'
import type { ScreenMessage } from './frame.js'
import type { Connection } from './watch.js'

/** The entries of the last days as they were read, and what their texts depend on. */
export interface WatchState {
  /** The day on which it was read. */
  day: Day
  /** The entries that overlap the last seven days, in the order of their starts, and the running one. */
  entries: Entry[]
  /** The working days and targets; undefined if no target is set. */
  calendar: WorkCalendar | undefined
  weekStart: Weekday
  durations: DurationDisplay
  /** For how many seconds this machine slept while the timer ran; undefined below the setting `sleep_limit`. */
  sleptSeconds?: number | undefined
  /** The number of changes that are not sent yet. */
  pendingChanges: number
  /** The number of changes that the user must decide about. */
  rejectedChanges: number
  /** Why the last delivery of the pending changes has failed. */
  failure: string | undefined
  /** The IDs that the service has assigned to entries with a local ID, by the local ID. */
  assignedIds: ReadonlyMap<string, string>
}

/**
 * Reads the state. With `isPoll`, requests the entries from the service, and remembers the running timer; otherwise reads
 * those that are known on this machine.
 */
export async function readWatchState(
  ctx: Context,
  { isPoll, before }: { isPoll: boolean; before: WatchState | undefined },
): Promise<WatchState> {
  const today = dayOf(ctx.now)
  const days = timeOf({ first: addDays(today, -6), last: today }) as Interval
  const { entries: tracking, outbox, notices } = await ctx.tracker()
  const running = isPoll ? await tracking.allRunning() : []
  const read = await (isPoll ? tracking : tracking.known).overlapping(days)
  // The running entry may be older than those that a service is searched for.
  const entries = [...running, ...read.filter(({ id }) => !running.some((one) => one.id === id))]
  entries.sort((a, b) => a.start.getTime() - b.start.getTime())
  const settings = await ctx.config.settings()
  const timer = entries.findLast(({ end }) => end === null)
  const local = (before?.entries ?? []).map(({ id }) => String(id)).filter((id) => id.startsWith('~'))
  return {
    day: today,
    entries,
    calendar: await calendarOf(ctx, entries, isPoll ? undefined : before),
    weekStart: settings.weekStart,
    durations: ctx.durations,
    sleptSeconds: timer && (await longSleepSeconds(ctx, timer)),
    pendingChanges: outbox.pendingCount(),
    rejectedChanges: outbox.rejectedCount(),
    failure: outbox.pendingCount() > 0 ? notices.lastFailure?.error.message : undefined,
    assignedIds: new Map(local.map((id) => [id, outbox.resolve('entry', id)])),
  }
}

/** Returns the calendar of the targets. For a service, only a poll may send the requests that it can need. */
async function calendarOf(
  ctx: Context,
  entries: readonly Entry[],
  before: WatchState | undefined,
): Promise<WorkCalendar | undefined> {
  const { targets, weekStart } = await ctx.config.settings()
  if (!targets) return undefined
  if (before?.calendar && before.day === dayOf(ctx.now) && ctx.config.profile.hasDelivery)
    return before.calendar
  const earliestStart = entries[0]?.start
  return targetCalendar(ctx, { first: startOfWeek(dayOf(ctx.now), weekStart), earliestStart })
}

/** Returns the running entry; the latest of several. */
export function runningEntry({ entries }: WatchState): Entry | undefined {
  return entries.findLast(({ end }) => end === null)
}

/** Returns the entries of today with their parts of today, the running one up to `now`. */
export function entriesOfToday({ entries }: WatchState, now: Date): LoggedEntry[] {
  const today = dayOf(now)
  const range = timeOf({ first: today, last: today }) as Interval
  return entries
    .filter(({ start, end }) => overlap({ start, end: end ?? now }, range) || dayOf(start) === today)
    .map((entry) => inPeriod(entry, range, now))
}

/** Returns the progress toward the target at `now`; undefined if no target is set. */
export function progressOf(
  { entries, calendar, weekStart }: WatchState,
  now: Date,
): TargetProgress | undefined {
  const tracked = entries.map(({ start, end }) => ({ start, end: end ?? now }))
  return calendar && targetProgress(tracked, calendar, { now, weekStart })
}

/** One line of `tt watch --json`. */
export type WatchEvent = WatchEventJson

/** Returns the event with the current state. */
export function stateEvent(state: WatchState, connection: Connection, now: Date): WatchEvent {
  const running = runningEntry(state)
  const entries = entriesOfToday(state, now)
  const progress = progressOf(state, now)
  return {
    type: 'state',
    time: toRfc3339(now),
    timer: running ? entryJson(running, now) : null,
    entries: entries.map((entry) => entryJson(entry, now)),
    today_seconds: entries.reduce((sum, { part }) => sum + durationSeconds(part), 0),
    today_target_seconds: progress?.today.target ?? null,
    week_seconds: progress?.week.seconds ?? null,
    week_target_seconds: progress?.week.target ?? null,
    connection: connection.kind,
    pending_changes: state.pendingChanges,
  }
}

/**
 * Returns the events between two reads: first the stopped, changed and deleted entries, then the added and started ones. An
 * entry that has got its ID from the service is the same one.
 */
export function changeEvents(before: WatchState, after: WatchState, now: Date): WatchEvent[] {
  if (before.day !== after.day) return []
  const time = toRfc3339(now)
  const idOf = ({ id }: Entry) => after.assignedIds.get(String(id)) ?? String(id)
  const earlier = new Map(before.entries.map((entry) => [idOf(entry), entry]))
  const later = new Map(after.entries.map((entry) => [String(entry.id), entry]))
  const event = (
    type: 'started' | 'stopped' | 'added' | 'changed' | 'deleted',
    entry: Entry,
  ): WatchEvent => ({
    type,
    time,
    entry: entryJson(entry, now),
  })
  const ended = [...earlier].flatMap(([id, entry]) => {
    const now = later.get(id)
    if (!now) return [event('deleted', entry)]
    if (entry.end === null && now.end !== null) return [event('stopped', now)]
    return contentOf(entry) === contentOf(now) ? [] : [event('changed', now)]
  })
  const begun = [...later]
    .filter(([id]) => !earlier.has(id))
    .map(([, entry]) => event(entry.end === null ? 'started' : 'added', entry))
  return [...ended, ...begun]
}

/** Returns the event of a new connection; undefined for the local workspace. */
export function connectionEvent(connection: Connection, now: Date): WatchEvent | undefined {
  const time = toRfc3339(now)
  if (connection.kind === 'offline') return { type: 'offline', time, reason: connection.reason }
  return connection.kind === 'online' ? { type: 'online', time } : undefined
}

/** Returns the event of a warning or an error; undefined for other messages. */
export function messageEvent({ kind, text }: ScreenMessage, now: Date): WatchEvent | undefined {
  return kind === 'message' ? undefined : { type: kind, time: toRfc3339(now), message: text }
}

/**
 * Returns a text that is the same for two reads of an unchanged entry, from the service or from this machine, also while it
 * is running.
 */
export function contentOf(entry: Entry): string {
  const { updated_at: _updated, etag: _etag, local_id: _local, ...fields } = entryJson(entry, entry.start)
  return JSON.stringify(Object.entries(fields).sort())
}
