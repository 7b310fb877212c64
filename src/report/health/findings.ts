import type { Id } from '../../api-client/types.js'
import type { Settings } from '../../config/settings/settings.js'
import { addDays, dayOf } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { type Interval, intervalsOn, type TimeRange, timeOf } from '../../lib/calendar/interval.js'
import type { Period } from '../../lib/calendar/period.js'
import type { EntryFix } from '../../lib/next-step.js'
import { type FindingKind, findingKinds } from '../../records/report-names.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { WorkCalendar } from '../work-calendar.js'
import { overlaps } from './overlaps.js'

export interface HealthOptions {
  kinds: readonly FindingKind[]
  /** Only problems within this period are returned. */
  period: Partial<Period>
  settings: Pick<Settings, 'workingHours' | 'entryLimitSeconds'>
  work: Pick<WorkCalendar, 'isWorkingDay'>
  now: Date
  durations: DurationDisplay
}

/**
 * Returns the gaps, overlaps, long entries and entries without notes of a period, in chronological order.
 *
 * The entries can have any order, and must include those that begin before the period and end within it. A finding that
 * begins before the period is returned whole; only gaps are cut to the period.
 */
export async function findings(
  batches: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  options: HealthOptions,
): Promise<Finding[]> {
  const { kinds, period, settings, work, now, durations } = options
  const range = timeOf(period)
  const spans: CheckedEntry[] = []
  for await (const entries of batches) for (const entry of entries) spans.push(toCheckedEntry(entry, now))
  spans.sort((a, b) => a.fromMs - b.fromMs || b.toMs - a.toMs)
  const finders: Record<FindingKind, () => Iterable<Finding>> = {
    gap: () => gaps(spans, period, settings, work, now),
    overlap: () => overlaps(spans),
    long: () => longEntries(spans, settings.entryLimitSeconds, durations),
    no_notes: () => entriesWithoutNotes(spans),
  }
  return findingKinds
    .filter((kind) => kinds.includes(kind))
    .flatMap((kind) => [...finders[kind]()])
    .filter((finding) => touches(finding, range))
    .sort((a, b) => a.from.getTime() - b.from.getTime())
}

function* longEntries(
  spans: readonly CheckedEntry[],
  limitSeconds: number,
  durations: DurationDisplay,
): Generator<Finding> {
  const limit = durations.format(limitSeconds)
  for (const span of spans) {
    if (span.toMs - span.fromMs <= limitSeconds * 1000) continue
    const what = span.running ? `has been running for more than ${limit}` : `took more than ${limit}`
    yield entryFinding(span, 'long', what, 'to')
  }
}

function* entriesWithoutNotes(spans: readonly CheckedEntry[]): Generator<Finding> {
  for (const span of spans) {
    if (span.notes.trim() === '') yield entryFinding(span, 'no_notes', 'has no notes', 'notes')
  }
}

function entryFinding(span: CheckedEntry, kind: FindingKind, what: string, missing: 'to' | 'notes'): Finding {
  const { id, fromMs, toMs, label } = span
  return {
    kind,
    from: new Date(fromMs),
    to: new Date(toMs),
    seconds: Math.floor((toMs - fromMs) / 1000),
    entries: [id],
    what: `${label} ${what}`,
    fixes: [{ action: 'edit', id, missing }],
  }
}

/** Shorter gaps are ignored: they come from switching tasks. */
const minGapMs = 60_000

/**
 * Yields the working hours without tracked time, from the start of the period (or the day of the first entry) up to
 * `now`. The entries are sorted by their starts.
 */
export function* gaps(
  entries: readonly CheckedEntry[],
  period: Partial<Period>,
  { workingHours }: Pick<Settings, 'workingHours'>,
  work: Pick<WorkCalendar, 'isWorkingDay'>,
  now: Date,
): Generator<Finding> {
  const [earliest] = entries
  const first = period.first ?? (earliest && dayOf(new Date(earliest.fromMs)))
  if (first === undefined) return
  const today = dayOf(now)
  const last = period.last !== undefined && period.last < today ? period.last : today
  // A gap ends on a whole second and never in the future, so that an entry can fill it.
  const nowMs = Math.floor(now.getTime() / 1000) * 1000

  let coveredMs = -Infinity
  let next = 0
  for (const hours of hoursOf({ first, last }, workingHours, work)) {
    const startMs = hours.start.getTime()
    const endMs = Math.min(hours.end.getTime(), nowMs)
    for (let entry = entries[next]; entry && entry.fromMs < endMs; entry = entries[++next]) {
      yield* gap(Math.max(startMs, coveredMs), entry.fromMs)
      coveredMs = Math.max(coveredMs, entry.toMs)
    }
    yield* gap(Math.max(startMs, coveredMs), endMs)
  }
}

/** Yields the working hours of each working day. */
function* hoursOf(
  { first, last }: Period,
  workingHours: Settings['workingHours'],
  work: Pick<WorkCalendar, 'isWorkingDay'>,
): Generator<Interval> {
  for (let day = first; day <= last; day = addDays(day, 1))
    if (work.isWorkingDay(day)) yield* intervalsOn(day, workingHours)
}

function* gap(fromMs: number, toMs: number): Generator<Finding> {
  if (toMs - fromMs < minGapMs) return
  yield {
    kind: 'gap',
    from: new Date(fromMs),
    to: new Date(toMs),
    seconds: Math.floor((toMs - fromMs) / 1000),
    entries: [],
    what: 'Nothing was tracked',
    fixes: [{ action: 'add', from: new Date(fromMs), to: new Date(toMs) }],
  }
}

/** A problem with tracked time. */
export interface Finding {
  kind: FindingKind
  from: Date
  /** The time of the report for a running entry. */
  to: Date
  /** Whole seconds that are missing, counted twice, or the duration of the entry. */
  seconds: number
  /** The ids of the entries concerned; empty for a gap. */
  entries: Id[]
  /** A description of the problem. */
  what: string
  /** The changes that resolve it without loss of time or notes, in order. */
  fixes: readonly EntryFix[]
  /** Another change, which removes tracked time: `removedSeconds` in total. */
  alternative?: { fix: Extract<EntryFix, { action: 'edit' }>; removedSeconds: number }
}

/** The fields of an entry that the checks need, much smaller than the entry in a long list. */
export interface CheckedEntry {
  id: Id
  fromMs: number
  /** The time of the report for a running entry; never before `fromMs`. */
  toMs: number
  running: boolean
  label: string
  linkId: Id | null
  notes: string
}

/** Returns the checked fields of an entry; a running entry ends `now`. */
export function toCheckedEntry({ id, start, end, notes, link, wire }: Entry, now: Date): CheckedEntry {
  const fromMs = start.getTime()
  return {
    id,
    fromMs,
    toMs: Math.max(fromMs, (end ?? now).getTime()),
    running: end === null,
    label: link?.label ?? 'An entry without a task',
    linkId: link?.id ?? wire.task_link_id,
    notes,
  }
}

/** Returns whether a finding overlaps a range; one without length overlaps it where it starts in the range. */
function touches({ from, to }: Pick<Finding, 'from' | 'to'>, { start, end }: TimeRange): boolean {
  return (end === undefined || from < end) && (start === undefined || to > start || from >= start)
}
