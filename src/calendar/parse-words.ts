import { TtError } from '../lib/errors.js'
import { addDays, type Day, isDay, weekday } from './day.js'
import { indexOfName, weekdayNames } from './names.js'

const acceptedForms = {
  time: '9:30, 930, 9am, -15m, "15m ago", "yesterday 17:00", "mon 9:00", "2024-05-01 09:30"',
  duration: '90m, 1.5h, 1h30m, 1:30, PT1H30M',
  date: '2024-05-01, today, yesterday, monday, -7d, "last week", may, q2, 2024-W18, 2024',
}

/** Returns a TtError `usage` for text that cannot be parsed, with the reason if it is known. */
export function invalidFormatError(kind: keyof typeof acceptedForms, text: string, reason?: string): TtError {
  const message = `${JSON.stringify(text)} is not a ${kind}${reason === undefined ? '' : `: ${reason}`}.`
  return new TtError('usage', message, { hint: `Valid formats: ${acceptedForms[kind]}.` })
}

/** Returns the text in lower case, trimmed, with single spaces. */
export function normalizeText(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, ' ')
}

/**
 * Parses a day from the text of `normalizeText`: YYYY-MM-DD, `today`, `yesterday`, `tomorrow`, a weekday or its first three letters
 * (the most recent one, including today), or `last` and a weekday (before today). Returns undefined for other text.
 */
export function parseDay(plain: string, today: Day): Day | undefined {
  if (isDay(plain)) return plain
  if (plain === 'today') return today
  if (plain === 'yesterday') return addDays(today, -1)
  if (plain === 'tomorrow') return addDays(today, 1)
  const isLast = plain.startsWith('last ')
  const index = indexOfName(isLast ? plain.slice('last '.length) : plain, weekdayNames)
  if (index === undefined) return undefined
  const daysAgo = (weekday(today) - index + 7) % 7
  return addDays(today, -(isLast && daysAgo === 0 ? 7 : daysAgo))
}
