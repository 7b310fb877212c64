import type { Settings } from '../../config/settings/settings.js'
import { addDays, dayOf } from '../../lib/calendar/day.js'
import { type Interval, intervalsOn } from '../../lib/calendar/interval.js'
import type { Period } from '../../lib/calendar/period.js'
import type { WorkCalendar } from '../work-calendar.js'
import type { CheckedEntry, Finding } from './finding.js'

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
