import { TtError } from '../lib/errors.js'
import { acceptedForms } from './accepted-forms.js'
import { indexOfName, weekdayNames } from './calendar-names.js'
import { addDays, type Day, isDay, weekday } from './day.js'

/** Returns a TtError `usage` for text that cannot be parsed, with the reason if it is known. */
export function invalidFormatError(kind: keyof typeof acceptedForms, text: string, reason?: string): TtError {
  const message = `${JSON.stringify(text)} is not a ${kind}${reason === undefined ? '' : `: ${reason}`}.`
  const forms = acceptedForms[kind].map((form) => (form.includes(' ') ? `"${form}"` : form))
  return new TtError('usage', message, { hint: `Valid formats: ${forms.join(', ')}.` })
}

/** Returns the text in lower case, trimmed, with single spaces. */
export function normalizeText(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, ' ')
}

/**
 * Parses a day from the text of `normalizeText`: YYYY-MM-DD, `today`, `yesterday`, `tomorrow`, a weekday or its first
 * three letters (the most recent one, including today), or `last` and a weekday (before today). Returns undefined for
 * other text.
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
