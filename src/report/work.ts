import type { Day } from '../calendar/day.js'

/** Which days are worked on, and how much. */
export interface WorkCalendar {
  isWorkingDay(day: Day): boolean
  /** Seconds to be worked on that day: none on a holiday; undefined where no target is set at all. */
  targetOf(day: Day): number | undefined
}
