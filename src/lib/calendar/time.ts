import { TtError } from '../errors.js'
import { hoursByName } from './calendar-names.js'
import { type Day, dayOf, isDay, parts } from './day.js'
import { parseDuration } from './duration.js'
import { invalidFormatError, normalizeText, parseDay } from './parse-words.js'
import { formatWallDate, instantAt, pad } from './zoned-time.js'

/** A time of day. */
interface Clock {
  hour: number
  minute: number
  second: number
  millisecond: number
}

/**
 * Parses a time as users write it, and returns the instant.
 *
 * Accepts `now`; a time of day (`9:30`, `09:30:15`, `930`, `9`, `9h30`, `9am`, `9:30pm`, `noon`, `midnight`) on `day`, which
 * is today or the day of the entry that is being changed; a day and a time of day (`today`, `yesterday`, `tomorrow`, `mon`,
 * `monday`, `last monday`, `2024-05-01` or `1.5.2024`, then the time); a duration before or after now (`-15m`, `15m ago`, `+10m`, `in 10m`);
 * RFC 3339, also without an offset.
 *
 * Local times are in the user's time zone. A local time that occurs twice means the first (RFC 5545 section 3.3.5); the
 * second can be written with its offset. Durations are exact, also across a clock change. `now` and times relative to it
 * are rounded down to the second; RFC 3339 times keep their milliseconds.
 *
 * Throws TtError `usage` if any part of the text cannot be parsed, and for a local time that a clock change skips.
 */
export function parseTime(text: string, now: Date, day: Day = dayOf(now)): Date {
  const plain = normalizeText(text)
  if (plain === '') throw invalidFormatError('time', text, 'it is empty')
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

/** Returns the seconds of the duration in a relative time. */
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

/** Parses an RFC 3339 time (section 5.6). Seconds, the offset and the second digit of the hour are optional. */
function readTimestamp(plain: string, text: string): Date | undefined {
  const match = timestamp.exec(plain)
  if (!match) return undefined
  const [, day = '', hour, minute, second = 0, fraction = '', utc, sign, offsetHours, offsetMinutes] = match
  if (!isDay(day)) throw invalidFormatError('time', text, `there is no day ${day}`)
  const millisecond = Number(fraction.slice(0, 3).padEnd(3, '0'))
  const clock = { hour: Number(hour), minute: Number(minute), second: Number(second), millisecond }
  checkClock(clock, text)
  if (utc === undefined && sign === undefined) return instantOn(day, clock, text)
  const { year, month, date } = parts(day)
  const asUtc = Date.UTC(year, month - 1, date, clock.hour, clock.minute, clock.second, millisecond)
  const offset = { hour: Number(offsetHours ?? 0), minute: Number(offsetMinutes ?? 0) }
  if (offset.hour > 23 || offset.minute > 59) {
    throw invalidFormatError('time', text, `there is no offset ${sign}${offsetHours}:${offsetMinutes}`)
  }
  const offsetMs = (offset.hour * 60 + offset.minute) * 60_000
  return new Date(sign === '-' ? asUtc + offsetMs : asUtc - offsetMs)
}

/** Matches any words for the day, then a time of day. */
const dayThenClock = new RegExp(`^(?:(.+) )?(${Object.keys(hoursByName).join('|')}|\\d[\\d:h]*(?: ?[ap]m)?)$`)

function readDayAndClock(plain: string, text: string, now: Date, defaultDay: Day): Date {
  const today = dayOf(now)
  const [, dayText, clockText = ''] = dayThenClock.exec(plain) ?? []
  const day = dayText === undefined ? defaultDay : parseDay(dayText, today)
  const clock = readClock(clockText, text)
  if (day === undefined) throw invalidFormatError('time', text, `there is no day ${JSON.stringify(dayText)}`)
  if (clock === undefined) throw invalidFormatError('time', text, problemOf(plain, today))
  return instantOn(day, clock, text)
}

const clockForms = /^(\d{1,2})(?::(\d\d)(?::(\d\d))?|h?(\d\d))?(?: ?([ap])m)?$/

/** Parses a time of day. Returns undefined for other text; throws TtError `usage` for times such as 25:00. */
function readClock(clockText: string, text: string): Clock | undefined {
  if (isHourName(clockText)) return { hour: hoursByName[clockText], minute: 0, second: 0, millisecond: 0 }
  const match = clockForms.exec(clockText)
  if (!match) return undefined
  const [, hour, minute, second = 0, minuteWithoutColon, half] = match
  const minutes = minute ?? minuteWithoutColon
  const clock = { hour: Number(hour), minute: Number(minutes ?? 0), second: Number(second), millisecond: 0 }
  if (half !== undefined) {
    if (clock.hour < 1 || clock.hour > 12) {
      throw invalidFormatError('time', text, `before ${half}m the hour goes from 1 to 12`)
    }
    clock.hour = (clock.hour % 12) + (half === 'p' ? 12 : 0)
  }
  checkClock(clock, text)
  return clock
}

function isHourName(text: string): text is keyof typeof hoursByName {
  return Object.hasOwn(hoursByName, text)
}

function checkClock(clock: Clock, text: string) {
  if (clock.hour > 23) throw invalidFormatError('time', text, `there is no hour ${clock.hour}`)
  if (clock.minute > 59) throw invalidFormatError('time', text, `there is no minute ${clock.minute}`)
  if (clock.second > 59) throw invalidFormatError('time', text, `there is no second ${clock.second}`)
}

/** Returns what is wrong with a time if only one part of it is; otherwise undefined. */
function problemOf(plain: string, today: Day): string | undefined {
  if (parseDay(plain, today) !== undefined) return 'the time of day is missing'
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) return `there is no day ${plain}`
  const [, first = '', rest] = /^(last \S+|\S+) (.+)$/.exec(plain) ?? []
  if (rest === undefined) return undefined
  if (parseDay(first, today) !== undefined) return `${JSON.stringify(rest)} is not a time of day`
  if (clockForms.test(first)) return `${JSON.stringify(rest)} cannot follow a time of day`
  return undefined
}

function instantOn(day: Day, clock: Clock, text: string): Date {
  const { year, month, date } = parts(day)
  const { instant, isSkipped } = instantAt({ year, month, day: date, ...clock })
  if (!isSkipped) return instant
  const nextDay = formatWallDate(instant)
  const next = formatTime(instant)
  const nextTime = nextDay === day ? next : `${next} on ${nextDay}`
  throw new TtError(
    'usage',
    `${JSON.stringify(text)} does not exist: the clocks go forward over it on ${day}. ` +
      `The next time that exists is ${nextTime}.`,
    { hint: `Use "${nextDay} ${next}".` },
  )
}

/** Formats an instant in the user's time zone: `09:30`, or `2024-05-01 09:30` if `now` is on another day. */
export function formatTime(instant: Date, now: Date = instant): string {
  return formatWallDate(instant) === formatWallDate(now) ? clockOf(instant) : formatDateTime(instant)
}

/** Formats an instant with its day in the user's time zone: `2024-05-01 09:30`. */
export function formatDateTime(instant: Date): string {
  return `${formatWallDate(instant)} ${clockOf(instant)}`
}

/** Formats an instant so that `parseTime` returns exactly it: `2024-05-01 09:30`, `2024-05-01 09:30:15`, or RFC 3339. */
export function formatExactTime(instant: Date): string {
  const seconds = instant.getSeconds() === 0 ? '' : `:${pad(instant.getSeconds())}`
  const plain = `${formatDateTime(instant)}${seconds}`
  // Only RFC 3339 can express milliseconds, and the second of two equal local times.
  return parseTime(plain, instant).getTime() === instant.getTime() ? plain : toRfc3339(instant)
}

function clockOf(instant: Date): string {
  return `${pad(instant.getHours())}:${pad(instant.getMinutes())}`
}

/**
 * Formats an instant as RFC 3339 with the offset of the user's time zone, `2024-05-01T09:30:00+02:00`; UTC is `+00:00`.
 * Milliseconds are included unless they are zero.
 */
export function toRfc3339(instant: Date): string {
  // Before standard time, offsets had seconds, which RFC 3339 cannot express. The offset is rounded to a minute; the text
  // still means the same instant, because its local time is computed with the rounded offset.
  const offsetMinutes = Math.round(-instant.getTimezoneOffset())
  const wall = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString()
  const dateAndTime = wall.slice(0, wall.endsWith('.000Z') ? -'.000Z'.length : -1)
  const absolute = Math.abs(offsetMinutes)
  const sign = offsetMinutes < 0 ? '-' : '+'
  return `${dateAndTime}${sign}${pad(Math.floor(absolute / 60))}:${pad(absolute % 60)}`
}
