import { type Day, parts } from '../../../lib/calendar/day.js'
import type { WallTime } from '../../../lib/calendar/wall-time.js'
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
