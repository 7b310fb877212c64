import { type Day, parts, timeOnDay } from '../../../lib/calendar/day.js'
import type { Interval } from '../../../lib/calendar/interval.js'
import { pad, type WallTime } from '../../../lib/calendar/zoned-time.js'
import { type DateOrder, parseDate } from './dates.js'
import type { SourceTime } from './local-times.js'

export const timeOfDayExpectation = 'a time of day such as 9:30, 09:30:00 or 9:30 AM'
export const dateTimeExpectation = 'a date and time such as 2024-05-01 09:30 or 2024-05-01T09:30:00+02:00'

export interface TimeOfDay {
  hour: number
  minute: number
  second: number
  millisecond: number
}

const timeOfDay = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s?([ap])\.?m\.?)?$/i

/** Parses a time of day of 24 or 12 hours, with or without seconds. Returns undefined for other text. */
export function parseTimeOfDay(text: string): TimeOfDay | undefined {
  const [, hourText, minute, second = '0', fraction = '', half] = timeOfDay.exec(text) ?? []
  if (hourText === undefined) return undefined
  const hour = hourOf(Number(hourText), half?.toLowerCase())
  const time = {
    hour: hour ?? 24,
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
  }
  return time.hour < 24 && time.minute < 60 && time.second < 60 ? time : undefined
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour
  // Some services write "13:30:00 PM".
  if (hour > 12) return half === 'p' ? hour : undefined
  if (hour === 0) return half === 'a' ? 0 : undefined
  return (hour % 12) + (half === 'p' ? 12 : 0)
}

/** Returns the local time of a day. */
export function wallTime(day: Day, time: TimeOfDay): WallTime {
  const { year, month, date } = parts(day)
  return { year, month, day: date, ...time }
}

const offsetPattern = /(z|[+-]\d\d:?\d\d)$/i

/**
 * Parses a date and a time of day, with an offset (RFC 3339) or in the user's time zone. `order` is that of day and month
 * where the year is last. Returns undefined for other text.
 */
export function parseDateTime(text: string, order: DateOrder | undefined): SourceTime | undefined {
  const [, dateText = '', rest = ''] = /^(\S+?)(?:t|,?\s+)(\d.*)$/i.exec(text) ?? []
  const offset = offsetPattern.exec(rest)?.[1]
  const day = parseDate(dateText, order)
  const time = parseTimeOfDay(offset === undefined ? rest : rest.slice(0, -offset.length).trimEnd())
  if (day === undefined || time === undefined) return undefined
  return offset === undefined ? wallTime(day, time) : withOffset(day, time, offset)
}

function withOffset(day: Day, time: TimeOfDay, offset: string): Date | undefined {
  const { year, month, date } = parts(day)
  const asUtc = Date.UTC(year, month - 1, date, time.hour, time.minute, time.second, time.millisecond)
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)$/.exec(offset) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return new Date(sign === '-' ? asUtc + offsetMs : asUtc - offsetMs)
}

export const durationExpectation = 'a duration such as 1:30:00, 1h 30m or 1.5 (hours)'

/** Upper bound for the duration of one entry: 1,000 days. A longer one is an error of the file. */
const maxSeconds = 1000 * 86_400

/** Parses a duration as h:mm, h:mm:ss, or in units (`1h 30m`, `PT1H30M`). Returns seconds; undefined for other text. */
function parseClockDuration(text: string): number | undefined {
  const clock = /^(\d{1,5}):([0-5]\d)(?::([0-5]\d)(?:[.,]\d+)?)?$/.exec(text)
  if (clock) return checked(secondsOf(clock[1], clock[2], clock[3]))
  const units = /^(?:pt)?(?:(\d{1,5})\s?h)?\s?(?:(\d{1,6})\s?m(?:in)?)?\s?(?:(\d{1,8})\s?s)?$/i.exec(text)
  const isEmpty = !units?.slice(1).some((part) => part !== undefined)
  return isEmpty ? undefined : checked(secondsOf(units?.[1], units?.[2], units?.[3]))
}

function secondsOf(hours = '0', minutes = '0', seconds = '0'): number {
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

function checked(seconds: number): number | undefined {
  return seconds <= maxSeconds ? seconds : undefined
}

/** Digits with a decimal point or comma. */
const plainNumber = /^(-?)(\d*)(?:([.,])(\d+))?$/
/** Groups of three digits between the same separators, then decimals. */
const groupedNumber = /^(-?)(\d{1,3}(?:([.,' \u00a0\u202f])\d{3})(?:\3\d{3})*)(?:([.,])(\d+))?$/

/**
 * Parses a number with a decimal point or comma, such as "1.5", "1,5" or "1.234,50". Returns it with a point; undefined for
 * other text.
 *
 * @param isMoney whether a single comma before three digits stands between thousands: "1,234" is more likely an amount of
 *   1234 than of 1.234, but hours of an entry are the other way round
 */
export function parseDecimal(text: string, isMoney = false): string | undefined {
  const [, sign = '', whole = '', separator = '', decimals = ''] = plainNumber.exec(text) ?? []
  const isGroup = isMoney && separator === ',' && decimals.length === 3
  if (!isGroup && (whole !== '' || decimals !== ''))
    return `${sign}${whole || '0'}${decimals === '' ? '' : `.${decimals}`}`
  const [, minus = '', groups = '', between = '', point, rest = ''] = groupedNumber.exec(text) ?? []
  if (groups === '' || between === point) return undefined
  return `${minus}${groups.replaceAll(between, '')}${rest === '' ? '' : `.${rest}`}`
}

const unitSeconds = { hours: 3600, minutes: 60, seconds: 1 } as const
export type DurationUnit = keyof typeof unitSeconds

/** Returns the unit that the name of a column contains, such as "Duration (decimal)", "Minutes" or "duration_seconds". */
export function durationUnitOf(name: string): DurationUnit | undefined {
  if (/second|\bsecs?\b|sekunde/i.test(name)) return 'seconds'
  if (/minute|\bmins?\b/i.test(name)) return 'minutes'
  return /hour|\bhrs?\b|\bh\b|decimal|stunden|dezimal/i.test(name) ? 'hours' : undefined
}

/**
 * Parses a duration as h:mm, h:mm:ss, 1h 30m, or as a number in the unit. A number with decimals and without a unit is
 * hours; a whole number without a unit could be anything.
 *
 * Returns whole seconds; undefined for other text and negative durations.
 */
export function parseDuration(text: string, unit: DurationUnit | undefined): number | undefined {
  const clock = parseClockDuration(text)
  if (clock !== undefined) return clock
  const decimal = parseDecimal(text)
  if (decimal === undefined || decimal.startsWith('-')) return undefined
  if (unit === undefined && !decimal.includes('.')) return undefined
  return checked(Math.round(Number(decimal) * unitSeconds[unit ?? 'hours']))
}

/**
 * Places entries without a time of day one after another from the start of the working hours, in the order of the file.
 * A day with more hours than remain reaches into the next one.
 */
export class Placement {
  readonly #workStartMinutes: number
  readonly #nextStartMs = new Map<string, number>()

  constructor(workStartMinutes: number) {
    this.#workStartMinutes = workStartMinutes
  }

  /**
   * Returns the start and end of the next entry on a day, outside the intervals in `occupied`.
   *
   * @param person keeps the entries of several users apart
   */
  place(day: Day, seconds: number, occupied: readonly Interval[] = [], person = ''): Interval {
    const key = `${day} ${person}`
    let startMs = this.#nextStartMs.get(key) ?? timeOnDay(day, this.#workStartMinutes).getTime()
    const lengthMs = seconds * 1000
    for (const { start, end } of occupied.toSorted((a, b) => a.start.getTime() - b.start.getTime())) {
      if (start.getTime() < startMs + lengthMs && end.getTime() > startMs) startMs = end.getTime()
    }
    this.#nextStartMs.set(key, startMs + lengthMs)
    return { start: new Date(startMs), end: new Date(startMs + lengthMs) }
  }
}

/** Returns the note about placed entries, for the user. */
export function placementNote(workStartMinutes: number): string {
  const clock = `${pad(Math.floor(workStartMinutes / 60))}:${pad(workStartMinutes % 60)}`
  return `Entries without a time of day are placed one after another from ${clock}.`
}
