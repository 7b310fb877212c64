import { TtError } from '../errors.js'
import { nearestNames, suggestionText } from '../text/nearest-names.js'
import { acceptedForms, indexOfName, monthNames, weekdayNames } from './calendar-names.js'
import { addDays, type Day, isDay, weekday } from './day.js'
import { pad } from './zoned-time.js'

/** Returns a TtError `usage` for text that cannot be parsed, with the reason if it is known. */
export function invalidFormatError(kind: keyof typeof acceptedForms, text: string, reason?: string): TtError {
  const readings = readingsOf(text)
  if (readings) {
    const problem = readings.length > 1 ? `can be ${readings.join(' or ')}` : `is not a ${kind}`
    return new TtError('usage', `${JSON.stringify(text)} ${problem}.`, {
      hint: `Write the year first: ${readings.join(' or ')}.`,
      candidates: readings,
    })
  }
  const candidates =
    kind === 'period' ? nearestNames(normalizeText(text).replaceAll('-', ' '), periodWords, 1) : []
  const message = `${JSON.stringify(text)} is not a ${kind}${reason === undefined ? '' : `: ${reason}`}.`
  const forms = acceptedForms[kind].map((form) => (form.includes(' ') ? `"${form}"` : form))
  const hint = `Valid formats: ${forms.join(', ')}.`
  return new TtError('usage', `${message}${suggestionText(candidates)}`, { hint, candidates })
}

/** The words of periods, for suggestions. */
const periodWords = [
  ...['all', 'today', 'yesterday', 'tomorrow'],
  ...['week', 'month', 'quarter', 'year'].flatMap((unit) => [
    unit,
    `this ${unit}`,
    `last ${unit}`,
    `next ${unit}`,
  ]),
  ...[...weekdayNames, ...monthNames].map((name) => name.toLowerCase()),
]

/** Returns the days that `5/6/2024` may be: in some countries the month is first. Undefined for other text. */
function readingsOf(text: string): string[] | undefined {
  const [, a, b, year] = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\b/.exec(text) ?? []
  if (a === undefined || b === undefined) return undefined
  const days = [`${year}-${pad(Number(b))}-${pad(Number(a))}`, `${year}-${pad(Number(a))}-${pad(Number(b))}`]
  const existing = [...new Set(days)].filter(isDay)
  return existing.length > 0 ? existing : undefined
}

/** Returns the text in lower case, trimmed, with single spaces. */
export function normalizeText(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, ' ')
}

/**
 * Parses a day from the text of `normalizeText`: YYYY-MM-DD, D.M.YYYY, `today`, `yesterday`, `tomorrow`, a weekday or its first
 * three letters (the most recent one, including today), or `last` and a weekday (before today). Returns undefined for
 * other text.
 */
export function parseDay(plain: string, today: Day): Day | undefined {
  const [, date, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(plain) ?? []
  const written = year === undefined ? plain : `${year}-${pad(Number(month))}-${pad(Number(date))}`
  if (isDay(written)) return written
  if (plain === 'today') return today
  if (plain === 'yesterday') return addDays(today, -1)
  if (plain === 'tomorrow') return addDays(today, 1)
  const isLast = plain.startsWith('last ')
  const index = indexOfName(isLast ? plain.slice('last '.length) : plain, weekdayNames)
  if (index === undefined) return undefined
  const daysAgo = (weekday(today) - index + 7) % 7
  return addDays(today, -(isLast && daysAgo === 0 ? 7 : daysAgo))
}
