import { getISOWeek } from 'date-fns/getISOWeek'
import { getISOWeekYear } from 'date-fns/getISOWeekYear'
import { type Day, startOfDay } from './day.js'
import { pad } from './wall-time.js'

/** Returns the ISO 8601 week of a day, such as `2024-W18`: weeks begin on Monday and belong to the year of their Thursday. */
export function isoWeek(day: Day): string {
  const date = startOfDay(day)
  return `${getISOWeekYear(date)}-W${pad(getISOWeek(date))}`
}
