import { getISOWeek } from 'date-fns/getISOWeek'
import { getISOWeekYear } from 'date-fns/getISOWeekYear'
import { TtError } from '../errors.js'
import { dayMs } from '../time-units.js'
import { formatWallDate, instantAt, pad } from './zoned-time.js'

/** Returns the position of a day in its week, from 0 for `weekStart` to 6. */
export function dayInWeek(day: Day, weekStart: Weekday): number {
  return (weekday(day) - weekStart + 7) % 7
}

/** Returns the first day of the week of a day. Throws TtError `usage` before the year 1000. */
export function startOfWeek(day: Day, weekStart: Weekday): Day {
  return addDays(day, -dayInWeek(day, weekStart))
}

/** Returns the Monday of an ISO 8601 week, or undefined if the year has no week of that number. */
export function mondayOfIsoWeek(year: number, week: number): Day | undefined {
  const inWeekOne: Day = `${year}-01-04`
  const monday = addDays(inWeekOne, 7 * (week - 1) - dayInWeek(inWeekOne, 1))
  return addDays(monday, 3).startsWith(String(year)) ? monday : undefined
}

/** Returns the ISO 8601 week of a day, such as `2024-W18`: weeks begin on Monday and belong to the year of their Thursday. */
export function isoWeek(day: Day): string {
  const date = startOfDay(day)
  return `${getISOWeekYear(date)}-W${pad(getISOWeek(date))}`
}

/** A day of the user's calendar, YYYY-MM-DD, from 1000-01-01 to 9999-12-31. Days sort as text. */
export type Day = string

const minutesPerDay = 24 * 60

/** A weekday: 0 for Sunday to 6 for Saturday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** Returns the local date of an instant: the day between whose `startOfDay` and `endOfDay` it is. */
export function dayOf(instant: Date): Day {
  const day = formatWallDate(instant)
  // Clocks that go back just after midnight (America/St_Johns until 2011, at 00:01) show the previous date again.
  // The repeated hour belongs to the new day, so that later instants never have earlier days.
  const repeated = instant.getHours() === 23 && instant >= endOfDay(day)
  return repeated ? addDays(day, 1) : day
}

/** A day as instants in epoch milliseconds; `toMs` is its exclusive end. */
export interface DayBounds {
  day: Day
  fromMs: number
  toMs: number
}

/** A clock change in these last hours of the previous day may move the start of the day, in milliseconds. */
const nearMidnightMs = 3 * 3_600_000

/** Since 1973, the UTC offset of every zone has whole minutes, as `getTimezoneOffset` returns it. */
const wholeMinutesSinceMs = Date.UTC(1973, 0, 2)

/** Returns the day of an instant with its bounds, by arithmetic where no clock change is near. */
export function dayAround(ms: number): DayBounds {
  const offsetMs = utcOffsetMs(ms)
  const dayNumber = Math.floor((ms + offsetMs) / dayMs)
  const fromMs = dayNumber * dayMs - offsetMs
  const toMs = fromMs + dayMs
  const isRegular =
    ms >= wholeMinutesSinceMs &&
    [fromMs - nearMidnightMs, fromMs, toMs].every((at) => utcOffsetMs(at) === offsetMs)
  if (isRegular) return { day: new Date(dayNumber * dayMs).toISOString().slice(0, 10), fromMs, toMs }
  const day = dayOf(new Date(ms))
  return { day, fromMs: startOfDay(day).getTime(), toMs: endOfDay(day).getTime() }
}

function utcOffsetMs(ms: number): number {
  return new Date(ms).getTimezoneOffset() * -60_000
}

/** Returns the first instant of a day: midnight, or the first instant after it if a clock change skips midnight. */
export function startOfDay(day: Day): Date {
  return timeOnDay(day, 0)
}

/** Returns the first instant of the next day: the exclusive end of a day. */
export function endOfDay(day: Day): Date {
  return timeOnDay(day, minutesPerDay)
}

/** Whether the user's zone skipped the whole day when it crossed the date line, as Apia skipped 2011-12-30. */
export function isSkippedDay(day: Day): boolean {
  const { year, month, date } = parts(day)
  return new Date(year, month - 1, date, 12).getDate() !== date
}

/** Returns the instant of a local time, in minutes after midnight; 1440 is the end of the day. */
export function timeOnDay(day: Day, minutes: number): Date {
  const { year, month, date } = parts(day)
  const wall = { year, month, day: date, hour: 0, minute: minutes, second: 0, millisecond: 0 }
  return instantAt(wall).instant
}

/** Returns the quarter of a day, 1 to 4. */
export function quarterOf(day: Day): number {
  return Math.ceil(parts(day).month / 3)
}

/** Returns the parts of a day: `month` from 1 to 12, `date` from 1 to 31. */
export function parts(day: Day): { year: number; month: number; date: number } {
  return { year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)), date: Number(day.slice(8, 10)) }
}

/** Returns the day `n` days later, or earlier if `n` is negative. Throws TtError `usage` outside the years 1000 to 9999. */
export function addDays(day: Day, n: number): Day {
  const date = new Date(Date.parse(day) + n * dayMs)
  const year = date.getUTCFullYear()
  if (!(year >= 1000 && year <= 9999)) {
    throw new TtError('usage', 'The day is out of range.', {
      hint: 'Use a day from 1000-01-01 to 9999-12-31.',
    })
  }
  return date.toISOString().slice(0, 10)
}

/** Yields the days from `first` to `last`, both included; none if `last` is before `first`. */
export function* eachDay(first: Day, last: Day): Generator<Day> {
  // A report of all time counts the days of centuries: no date is parsed or formatted for each.
  let { year, month, date } = parts(first)
  for (let day = first; day < last; ) {
    yield day
    date++
    if (date > 28 && date > daysInMonth(year, month)) {
      date = 1
      month++
    }
    if (month > 12) {
      month = 1
      year++
    }
    day = `${String(year).padStart(4, '0')}-${pad(month)}-${pad(date)}`
  }
  if (first <= last) yield last
}

/** Returns the number of days of a month, 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Returns the number of days from `first` to `last`, both included. */
export function countDays(first: Day, last: Day): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1
}

/** Whether `text` is an existing date, written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false
  const epochMs = Date.parse(text)
  // Some engines read 2023-02-30 as 2 March: an existing date does not change when it is written again.
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text)
}

/** Returns the weekday of a day. */
export function weekday(day: Day): Weekday {
  const { year, month, date } = parts(day)
  return new Date(Date.UTC(year, month - 1, date)).getUTCDay() as Weekday
}
