import { TtError } from '../lib/errors.js'
import { type Day, dayOf, isDay, parts } from './day.js'
import { parseDuration } from './duration.js'
import { readDay, simplify, unreadableError } from './parse-words.js'
import { formatWallDate, instantAt, pad } from './wall-time.js'

/** A reading of the clock alone. */
interface Clock {
  hour: number
  minute: number
  second: number
  millisecond: number
}

/**
 * Reads a moment as the user writes it (design section 3, TIME) and answers the instant.
 *
 * Reads `now`; a clock time (`9:30`, `09:30:15`, `930`, `9am`, `9:30pm`, `noon`, `midnight`), which is one of
 * `day`: today, or the day of the entry that is being changed; the same after a day (`today`, `yesterday`,
 * `tomorrow`, `mon`, `monday`, `last monday`, `2024-05-01`); a duration before or after now (`-15m`, `15m ago`,
 * `+10m`, `in 10m`); RFC 3339, also without an offset.
 *
 * Wall times are in the user's zone. One that happens twice is the first of both (RFC 5545 section 3.3.5); the
 * second can be written with its offset. Durations are exact, whatever the clocks do in between. Relative forms
 * and `now` are cut to the whole second; RFC 3339 keeps its milliseconds.
 *
 * Throws TtError `usage` for what cannot be read whole, and for a wall time that the clocks skip.
 */
export function parseTime(text: string, now: Date, day: Day = dayOf(now)): Date {
  const plain = simplify(text)
  if (plain === '') throw unreadableError('time', text, 'nothing was given')
  return (
    readRelative(plain, text, now) ?? readTimestamp(plain, text) ?? readDayAndClock(plain, text, now, day)
  )
}

function readRelative(plain: string, text: string, now: Date): Date | undefined {
  const nowSeconds = Math.floor(now.getTime() / 1000)
  if (plain === 'now') return new Date(nowSeconds * 1000)
  const later = /^(?:\+|in )(.+)$/.exec(plain)?.[1]
  const earlier = (/^-(.+)$/.exec(plain) ?? /^(.+) ago$/.exec(plain))?.[1]
  if (later !== undefined) return new Date((nowSeconds + parseOffset(later, text)) * 1000)
  if (earlier !== undefined) return new Date((nowSeconds - parseOffset(earlier, text)) * 1000)
  return undefined
}

/** The seconds of the duration inside a relative time. */
function parseOffset(duration: string, text: string): number {
  try {
    return parseDuration(duration)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    const message = `${JSON.stringify(text)} is not a time: ${error.message}`
    throw new TtError('usage', message, { hint: error.hint, cause: error })
  }
}

const timestamp =
  /^(\d{4}-\d\d-\d\d)[t ](\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:(z)|([+-])(\d\d):(\d\d))?$/

/** RFC 3339 section 5.6, and the same without seconds, without an offset, or with one digit for the hour. */
function readTimestamp(plain: string, text: string): Date | undefined {
  const match = timestamp.exec(plain)
  if (!match) return undefined
  const [, day = '', hour, minute, second = 0, fraction = '', utc, sign, offsetHours, offsetMinutes] = match
  if (!isDay(day)) throw unreadableError('time', text, `there is no day ${day}`)
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second), millisecond }
  checkClock(clock, text)
  if (utc === undefined && sign === undefined) return instantOn(day, clock, text)
  const { year, month, date } = parts(day)
  const asUtc = Date.UTC(year, month - 1, date, clock.hour, clock.minute, clock.second, millisecond)
  const offset = { hour: Number(offsetHours ?? 0), minute: Number(offsetMinutes ?? 0) }
  if (offset.hour > 23 || offset.minute > 59) {
    throw unreadableError('time', text, `there is no offset ${sign}${offsetHours}:${offsetMinutes}`)
  }
  const offsetMs = (offset.hour * 60 + offset.minute) * 60_000
  return new Date(sign === '-' ? asUtc + offsetMs : asUtc - offsetMs)
}

/** Any words, then what looks like a clock. */
const dayThenClock = /^(?:(.+) )?(noon|midnight|\d[\d:]*(?: ?[ap]m)?)$/

function readDayAndClock(plain: string, text: string, now: Date, dayMeant: Day): Date {
  const today = dayOf(now)
  const [, dayWords, clockWords = ''] = dayThenClock.exec(plain) ?? []
  const day = dayWords === undefined ? dayMeant : readDay(dayWords, today)
  const clock = readClock(clockWords, text)
  if (day === undefined) throw unreadableError('time', text, `there is no day ${JSON.stringify(dayWords)}`)
  if (clock === undefined) throw unreadableError('time', text, problemIn(plain, today))
  return instantOn(day, clock, text)
}

const clockForms = /^(\d{1,2})(?::(\d\d)(?::(\d\d))?|(\d\d))?(?: ?([ap])m)?$/

/** Undefined where it is no clock time. Throws where it is one that no clock shows. */
function readClock(words: string, text: string): Clock | undefined {
  if (words === 'noon') return { hour: 12, minute: 0, second: 0, millisecond: 0 }
  if (words === 'midnight') return { hour: 0, minute: 0, second: 0, millisecond: 0 }
  const match = clockForms.exec(words)
  if (!match) return undefined
  const [, hour, minute, second = 0, minuteWithoutColon, half] = match
  const minutes = minute ?? minuteWithoutColon
  if (minutes === undefined && half === undefined) {
    throw unreadableError('time', text, 'the minutes are missing')
  }
  const clock = { hour: Number(hour), minute: Number(minutes ?? 0), second: Number(second), millisecond: 0 }
  if (half !== undefined) {
    if (clock.hour < 1 || clock.hour > 12) {
      throw unreadableError('time', text, `before ${half}m the hour goes from 1 to 12`)
    }
    clock.hour = (clock.hour % 12) + (half === 'p' ? 12 : 0)
  }
  checkClock(clock, text)
  return clock
}

function checkClock(clock: Clock, text: string) {
  if (clock.hour > 23) throw unreadableError('time', text, `there is no hour ${clock.hour}`)
  if (clock.minute > 59) throw unreadableError('time', text, `there is no minute ${clock.minute}`)
  if (clock.second > 59) throw unreadableError('time', text, `there is no second ${clock.second}`)
}

/** Names the part that could not be read, where the rest could. */
function problemIn(plain: string, today: Day): string | undefined {
  if (readDay(plain, today) !== undefined) return 'it names a day, and the time of day is missing'
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) return `there is no day ${plain}`
  const [, first = '', rest] = /^(last \S+|\S+) (.+)$/.exec(plain) ?? []
  if (rest === undefined) return undefined
  if (readDay(first, today) !== undefined) return `${JSON.stringify(rest)} is no time of day`
  if (clockForms.test(first)) return `${JSON.stringify(rest)} cannot follow a time of day`
  return undefined
}

function instantOn(day: Day, clock: Clock, text: string): Date {
  const { year, month, date } = parts(day)
  const { instant, exists } = instantAt({ year, month, day: date, ...clock })
  if (exists) return instant
  const nextDay = formatWallDate(instant)
  const next = formatTime(instant)
  const when = nextDay === day ? next : `${next} on ${nextDay}`
  throw new TtError(
    'usage',
    `${JSON.stringify(text)} does not exist: the clocks go forward over it on ${day}. ` +
      `The first time after it is ${when}.`,
    { hint: `Say "${nextDay} ${next}".` },
  )
}

/** Writes a moment for people, in the user's zone: `09:30`, or `2024-05-01 09:30` where `now` is another day. */
export function formatTime(instant: Date, now: Date = instant): string {
  return formatWallDate(instant) === formatWallDate(now) ? clockOf(instant) : formatDateTime(instant)
}

/** Writes a moment with its day for people, in the user's zone: `2024-05-01 09:30`. */
export function formatDateTime(instant: Date): string {
  return `${formatWallDate(instant)} ${clockOf(instant)}`
}

/** Writes a moment such that `parseTime` reads exactly that moment: `2024-05-01 09:30`, `2024-05-01 09:30:15`, or RFC 3339. */
export function formatExactTime(instant: Date): string {
  const seconds = instant.getSeconds() === 0 ? '' : `:${pad(instant.getSeconds())}`
  const plain = `${formatDateTime(instant)}${seconds}`
  // Only RFC 3339 can name the second of two equal wall times, and milliseconds.
  return parseTime(plain, instant).getTime() === instant.getTime() ? plain : toRfc3339(instant)
}

function clockOf(instant: Date): string {
  return `${pad(instant.getHours())}:${pad(instant.getMinutes())}`
}

/**
 * Writes an instant as RFC 3339 with the offset of the user's zone, `2024-05-01T09:30:00+02:00`; UTC is `+00:00`.
 * Milliseconds are written where they are not zero, so that nothing is lost.
 */
export function toRfc3339(instant: Date): string {
  // Before standard time, offsets had seconds, which RFC 3339 cannot write: the nearest minute names the same
  // instant all the same, because the wall reading is taken with that offset.
  const offsetMinutes = Math.round(-instant.getTimezoneOffset())
  const wall = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString()
  const dateAndTime = wall.slice(0, wall.endsWith('.000Z') ? -'.000Z'.length : -1)
  const distance = Math.abs(offsetMinutes)
  const sign = offsetMinutes < 0 ? '-' : '+'
  return `${dateAndTime}${sign}${pad(Math.floor(distance / 60))}:${pad(distance % 60)}`
}
