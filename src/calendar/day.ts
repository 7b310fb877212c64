import { TtError } from '../lib/errors.js'
import { dayMs } from '../lib/time-units.js'
import { formatWallDate, instantAt } from './wall-time.js'

/** A day of the user's calendar, YYYY-MM-DD, from 1000-01-01 to 9999-12-31. Text order is time order. */
export type Day = string

const minutesPerDay = 24 * 60

/** 0 is Sunday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6

/** The day in whose `startOfDay` to `endOfDay` the instant lies: the date on the wall. */
export function dayOf(instant: Date): Day {
  const day = formatWallDate(instant)
  // Clocks that go back just after midnight (America/St_Johns until 2011, at 00:01) show the old date again.
  // That hour belongs to the day that has begun, so that days follow each other without going back.
  const repeated = instant.getHours() === 23 && instant >= endOfDay(day)
  return repeated ? addDays(day, 1) : day
}

/** The first instant of the day: midnight, or the first one after it where the clocks skip midnight. */
export function startOfDay(day: Day): Date {
  return timeOnDay(day, 0)
}

/** The first instant of the next day, so that a day is the half-open `startOfDay(day)` to `endOfDay(day)`. */
export function endOfDay(day: Day): Date {
  return timeOnDay(day, minutesPerDay)
}

/** Returns the instant when the clock on the wall shows so many minutes after midnight; 1440 is the end of the day. */
export function timeOnDay(day: Day, minutes: number): Date {
  const { year, month, date } = parts(day)
  const wall = { year, month, day: date, hour: 0, minute: minutes, second: 0, millisecond: 0 }
  return instantAt(wall).instant
}

/** Returns the quarter of a day, 1 to 4. */
export function quarterOf(day: Day): number {
  return Math.ceil(parts(day).month / 3)
}

/** The numbers of a day: `month` from 1 to 12, `date` from 1 to 31. */
export function parts(day: Day): { year: number; month: number; date: number } {
  return { year: Number(day.slice(0, 4)), month: Number(day.slice(5, 7)), date: Number(day.slice(8, 10)) }
}

/** The day `n` days later, or earlier where `n` is negative. Throws TtError `usage` outside 1000 to 9999. */
export function addDays(day: Day, n: number): Day {
  const date = new Date(Date.parse(day) + n * dayMs)
  const year = date.getUTCFullYear()
  if (!(year >= 1000 && year <= 9999)) {
    throw new TtError('usage', 'That day is too far away.', {
      hint: 'Name a day from 1000-01-01 to 9999-12-31.',
    })
  }
  return date.toISOString().slice(0, 10)
}

/** The days from `first` to `last`, both included; none where `last` is before `first`. */
export function* eachDay(first: Day, last: Day): Generator<Day> {
  if (first > last) return
  let day = first
  for (; day < last; day = addDays(day, 1)) yield day
  yield day
}

/** Returns the number of days from `first` to `last`, both included. */
export function countDays(first: Day, last: Day): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1
}

/** Whether `text` is a day that the calendar has, written YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^[1-9]\d{3}-\d\d-\d\d$/.test(text)) return false
  const epochMs = Date.parse(text)
  // Some engines read 2023-02-30 as 2 March: only what comes back as it was written is a day.
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(text)
}

/** The weekday of a day, 0 for Sunday to 6 for Saturday. */
export function weekday(day: Day): Weekday {
  return new Date(Date.parse(day)).getUTCDay() as Weekday
}
