import { addDays, type Day, dayOf, timeOnDay } from '../../calendar/day.js'
import type { Settings } from '../../config/settings/settings.js'
import type { WorkCalendar } from '../work-calendar.js'
import type { Finding, FindingPeriod, Span } from './finding.js'

/** Shorter gaps are ignored: they come from switching tasks. */
const minGapMs = 60_000

interface Hours {
  fromMs: number
  toMs: number
}

/**
 * Yields the working hours without tracked time, from the start of the period (or the day of the first span) up to
 * `now`. The spans are sorted by their starts.
 */
export function* gaps(
  spans: readonly Span[],
  period: FindingPeriod,
  { workingHours }: Pick<Settings, 'workingHours'>,
  work: Pick<WorkCalendar, 'isWorkingDay'>,
  now: Date,
): Generator<Finding> {
  const [earliest] = spans
  const fromMs = period.from?.getTime() ?? earliest?.fromMs
  // A gap ends on a whole second and never in the future, so that an entry can fill it.
  const toMs = Math.min(period.to?.getTime() ?? Infinity, Math.floor(now.getTime() / 1000) * 1000)
  if (fromMs === undefined || fromMs >= toMs) return

  let coveredMs = -Infinity
  let next = 0
  const days = { first: dayOf(new Date(fromMs)), last: dayOf(new Date(toMs - 1)) }
  for (const hours of hoursOf(days, workingHours, work)) {
    const begin = period.from === undefined ? hours.fromMs : Math.max(hours.fromMs, fromMs)
    const end = Math.min(hours.toMs, toMs)
    for (let span = spans[next]; span && span.fromMs < end; span = spans[++next]) {
      yield* gap(Math.max(begin, coveredMs), span.fromMs)
      coveredMs = Math.max(coveredMs, span.toMs)
    }
    yield* gap(Math.max(begin, coveredMs), end)
  }
}

/** Yields the working hours of each working day as instants: clock changes make them shorter or longer. */
function* hoursOf(
  { first, last }: { first: Day; last: Day },
  workingHours: Settings['workingHours'],
  work: Pick<WorkCalendar, 'isWorkingDay'>,
): Generator<Hours> {
  for (let day = first; day <= last; day = addDays(day, 1)) {
    if (!work.isWorkingDay(day)) continue
    for (const { from, to } of workingHours)
      yield { fromMs: timeOnDay(day, from).getTime(), toMs: timeOnDay(day, to).getTime() }
  }
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
