import type { Predicates } from '../../../api-client/filter/query.js'
import { addDays, dayOf } from '../../../lib/calendar/day.js'
import type { TimeRange } from '../../../lib/calendar/interval.js'

/**
 * Returns documented filters that include the bounds. A service reads a date as midnight in a time zone that is unknown
 * and may be 26 hours away, so they add two days on either side; the caller filters by the exact bounds.
 */
export function aroundStart({ start, end }: TimeRange): Predicates {
  return {
    ...(start ? { time_start_gteq: addDays(dayOf(start), -2) } : {}),
    ...(end ? { time_start_lt: addDays(dayOf(end), 2) } : {}),
  }
}
