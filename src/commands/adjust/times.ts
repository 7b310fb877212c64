import type { Context } from '../../cli/context.js'
import type { TimeOn } from '../../cli/option-values.js'
import { acceptedForms } from '../../lib/calendar/calendar-names.js'
import { addDays, dayOf } from '../../lib/calendar/day.js'
import { parseDuration } from '../../lib/calendar/duration.js'
import { normalizeText, parseDay } from '../../lib/calendar/parse-words.js'
import { parsePeriod } from '../../lib/calendar/period.js'
import { formatDateTime, formatTime, parseTime } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import { durationOf, type Entry } from '../../tracking/entries/entry.js'
import type { EntryDisplay } from '../views/entry.js'

/** The times of an entry as typed: values of `--from`, `--to` and `--for`. */
export interface TypedTimes {
  from?: string
  to?: string
  for?: string
}

/** Words that stand for a time where the last entry is known. */
const lastEntryWord = 'last'

const clock = String.raw`(?:noon|midnight|now|${lastEntryWord}|\d[\d:h]*(?: ?[ap]m)?)`
const startAndEnd = new RegExp(`^((?:.+ )?${clock}) ?(?:-|–|\\.\\.) ?((?:[a-z]+ )?${clock})$`)

/**
 * Returns the times of `9:00-11:30`, `yesterday 14:00-15:30` or `2h`; undefined for other text, such as a task or its ID.
 *
 * Throws TtError `usage` for text with two meanings, which the message shows.
 */
export function readTypedTimes(text: string, now: Date): TypedTimes | undefined {
  const plain = normalizeText(text)
  const [, from, to] = startAndEnd.exec(plain) ?? []
  if (from !== undefined && to !== undefined) {
    // Other words may precede the day: `design 9-11`.
    if (from.includes(' ') && !canParse(() => parseTime(from, now))) return undefined
    checkHalfOfDay(text, from, to, now)
    return { from, to }
  }
  const [isTime, isDuration] = [canParse(() => parseTime(text, now)), canParse(() => parseDuration(text))]
  if (isTime && isDuration) {
    const length = plain.replace(/^(\d+)[:h](\d\d)/, '$1h$2m')
    throw new TtError('usage', `${JSON.stringify(text)} can be a time or a duration.`, {
      hint: `Write ${length} for the duration, or the time with its end, such as ${plain}-now.`,
      candidates: [length, `${plain}-now`],
    })
  }
  return isDuration ? { for: text } : undefined
}

/** Throws TtError `usage` for `1-3pm`, which is two or fourteen hours. */
function checkHalfOfDay(text: string, from: string, to: string, now: Date) {
  const half = / ?[ap]m$/.exec(to)?.[0]
  if (half === undefined || /[ap]m$/.test(from)) return
  const [asTyped, withHalf, end] = [from, `${from}${half}`, to].map((part) =>
    tryParse(() => parseTime(part, now)),
  )
  if (!asTyped || !withHalf || !end || asTyped.getTime() === withHalf.getTime()) return
  if (withHalf >= end || asTyped >= end) return
  const readings = [asTyped, withHalf].map((start) => `${formatTime(start, now)}-${formatTime(end, start)}`)
  throw new TtError('usage', `${JSON.stringify(text)} can be ${readings.join(' or ')}.`, {
    hint: `Write ${readings.join(' or ')}.`,
    candidates: readings,
  })
}

/** Returns the error for words after the task that are no times, or only one. */
export function typedTimesError(text: string, now: Date): TtError {
  if (canParse(() => parseTime(text, now))) {
    return new TtError('usage', `${JSON.stringify(text)} is a time without an end.`, {
      hint: `Write the start and the end, such as ${text}-now, or a duration, such as 2h.`,
    })
  }
  const plain = normalizeText(text)
  const [, day = '', times = ''] = /^(\S+|last \S+) (\d.*)$/.exec(plain) ?? []
  const isDay = day !== '' && parseDay(day, dayOf(now)) !== undefined
  if (isDay && canParse(() => parseDuration(times))) {
    return new TtError('usage', `${JSON.stringify(text)} is a duration without a start.`, {
      hint: `Write the start and the end, such as "${day} 9:00-11:00", or --from "${day} 9:00" --for ${times}.`,
    })
  }
  if (day !== '' && !isDay && canParse(() => readTypedTimes(times, now))) return unknownDayError(day, now)
  const forms = ['9:00-11:30', '"yesterday 14:00-15:30"', ...acceptedForms.duration]
  return new TtError('usage', `${JSON.stringify(text)} is neither a start and an end nor a duration.`, {
    hint: `Valid formats: ${forms.join(', ')}.`,
  })
}

/** Returns the error of `parsePeriod` for a word that is no day, which names the nearest one or says what is wrong. */
function unknownDayError(day: string, now: Date): TtError {
  try {
    parsePeriod(day, now)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return new TtError('usage', error.message.replace('is not a period', 'is not a day'), {
      hint: 'Examples: yesterday 9:00-11:30, monday 9:00-11:30, 2024-05-01 9:00-11:30.',
      candidates: error.candidates,
    })
  }
  return new TtError('usage', `${JSON.stringify(day)} is not one day.`, {
    hint: 'Examples: yesterday 9:00-11:30, monday 9:00-11:30, 2024-05-01 9:00-11:30.',
  })
}

function tryParse<Value>(parse: () => Value): Value | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}

const canParse = (parse: () => unknown) => tryParse(parse) !== undefined

/** Returns a time within an entry: a time of day is the first one after its start. */
export function timeWithin(time: TimeOn, entry: Entry, now: Date): Date {
  const day = dayOf(entry.start)
  const at = time(day)
  if (at > entry.start) return at
  const nextDay = time(addDays(day, 1))
  return nextDay < (entry.end ?? now) ? nextDay : at
}

/** Upper bound for an overnight entry whose end has no date: a longer one is probably a typing error. */
const longestOvernightMs = 12 * 3_600_000

/**
 * Returns the end of an entry: a time without a date is on the day of its start, or on the following day where that makes
 * at most 12 hours.
 */
export function endAfter(time: TimeOn, start: Date): Date {
  const day = dayOf(start)
  const end = time(day)
  if (end > start) return end
  const nextDay = time(addDays(day, 1))
  return nextDay > start && nextDay.getTime() - start.getTime() <= longestOvernightMs ? nextDay : end
}

/** Returns the message for an end before the start, or for a running entry that starts in the future; undefined for neither. */
export function orderProblem(start: Date, end: Date | null, now: Date): string | undefined {
  if ((end ?? now) >= start) return undefined
  if (!end) return `A running entry cannot start in the future: ${formatTime(start, now)}.`
  const isToday = dayOf(start) === dayOf(now) && dayOf(end) === dayOf(now)
  const format = isToday ? (time: Date) => formatTime(time) : formatDateTime
  return `The end, ${format(end)}, is before the start, ${format(start)}.`
}

/** Warns when a time that the user gave is in the future. */
export function warnOfFutureTimes(ctx: Context, { start, end }: { start?: Date; end?: Date | null }) {
  const { now } = ctx
  if (start && start > now) ctx.terminal.warn(`The start, ${formatTime(start, now)}, is in the future.`)
  else if (end && end > now) ctx.terminal.warn(`The end, ${formatTime(end, now)}, is in the future.`)
}

/** Returns "1h 30m (09:30–11:00)", with the date unless it is today. */
export function lengthAndTimes({ now, durations }: EntryDisplay, entry: Entry): string {
  const end = entry.end ? formatTime(entry.end, entry.start) : 'running'
  return `${durations.format(durationOf(entry, now))} (${formatTime(entry.start, now)}–${end})`
}
