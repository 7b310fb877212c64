import type { Predicates } from '../../api-client/filter/query.js'
import { addDays, dayOf } from '../../calendar/day.js'
import type { TimeRange } from '../../calendar/interval.js'

/**
 * Returns documented filters that include the bounds. A service reads a date as midnight in a time zone that is unknown
 * and may be 26 hours away, so they add two days on either side; the caller filters by the exact bounds.
 */
export function aroundStart({ from, to }: TimeRange): Predicates {
  return {
    ...(from ? { time_start_gteq: addDays(dayOf(from), -2) } : {}),
    ...(to ? { time_start_lt: addDays(dayOf(to), 2) } : {}),
  }
}
