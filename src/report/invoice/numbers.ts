import { TtError } from '../../lib/errors.js'

/** The pattern of the numbers of invoices, such as `{year}-{n:3}`. */
export interface NumberPattern {
  /** Returns the name of the series to which a day belongs: `2024-{n}`. Each series counts from 1. */
  seriesOf(day: string): string
  /** Returns the number with that count in the series of a day. */
  format(day: string, count: number): string
  /** Returns the count of a number in the series of a day; undefined if it belongs to another one. */
  countIn(day: string, number: string): number | undefined
  /** Throws TtError `usage` for a number that belongs to no series: that of no day. */
  checkStart(number: string): void
}

/** Upper bound for the length of a number. EN 16931 has none, but columns and file names have. */
const maxLength = 40
const maxDigits = 9
const example = 'For example {year}-{n:3}, or INV-{year}{month}-{n:4}.'

/**
 * Parses a pattern with `{n}` or `{n:3}`, the count with at least so many digits, and optionally `{year}`, `{month}` and
 * `{day}` of the date of the invoice. Throws TtError `usage`.
 */
export function parseNumberPattern(text: string): NumberPattern {
  const counts = text.match(/\{n(:\d+)?\}/g) ?? []
  const unknown = text.replace(/\{(n(:[1-9])?|year|month|day)\}/g, '')
  if (counts.length !== 1 || /[{}]/.test(unknown)) {
    throw new TtError('usage', `${JSON.stringify(text)} is not a pattern of invoice numbers.`, {
      hint: `It needs {n} or {n:DIGITS} once, and may have {year}, {month} and {day}. ${example}`,
    })
  }
  checkNumber(text.replace(/\{\w+(:\d)?\}/g, '0'))
  const [count = ''] = counts
  const digits = Number(/\d+/.exec(count)?.[0] ?? 1)
  const dated = (day: string) => {
    const [year = '', month = '', date = ''] = day.split('-')
    return text.replaceAll('{year}', year).replaceAll('{month}', month).replaceAll('{day}', date)
  }
  return {
    seriesOf: (day) => dated(day).replace(count, '{n}'),
    format: (day, n) => dated(day).replace(count, String(n).padStart(digits, '0')),
    countIn(day, number) {
      const [before = '', after = ''] = dated(day).split(count)
      const isInSeries = number.startsWith(before) && number.endsWith(after)
      const middle = number.slice(before.length, number.length - after.length)
      const hasDigits = new RegExp(`^\\d{1,${maxDigits}}$`).test(middle)
      return isInSeries && hasDigits ? Number(middle) : undefined
    },
    checkStart(number) {
      const digitsOf = (field: string) =>
        field.startsWith('{n') ? `\\d{1,${maxDigits}}` : field === '{year}' ? '\\d{4}' : '\\d\\d'
      const source = text.replace(/\{[^}]+\}|[^\p{L}\p{N}{}]/gu, (part) =>
        part.startsWith('{') ? digitsOf(part) : `\\${part}`,
      )
      if (new RegExp(`^${source}$`).test(number)) return
      throw new TtError('usage', `${JSON.stringify(number)} does not match the pattern ${text}.`, {
        hint: 'invoice.start is a number of the pattern invoice.number: set that first, or unset invoice.start.',
      })
    },
  }
}

/** Throws TtError `usage` for a text that cannot be the number of an invoice. */
export function checkNumber(number: string) {
  const hasValidCharacters = /^[ ._/#\p{L}\p{N}-]+$/u.test(number)
  if (hasValidCharacters && number.trim() === number && number.length <= maxLength) return
  throw new TtError('usage', `${JSON.stringify(number)} cannot be the number of an invoice.`, {
    hint: `Use letters, digits and - _ . / #, at most ${maxLength} characters.`,
  })
}

/** A number that was taken, of any profile. */
export interface TakenNumber {
  /** The series that it belongs to, and its count there; null if the user has chosen it, which moves no series. */
  series: string | null
  count: number | null
}

/**
 * Returns the next number of the series of a day: one after the highest count that was taken, or `start` if that is of this
 * series and higher. Skips numbers that the user has chosen before. Throws TtError `usage` for a start of no series.
 */
export function nextNumber(
  pattern: NumberPattern,
  day: string,
  { taken, start }: { taken: ReadonlyMap<string, TakenNumber>; start?: string | undefined },
): { number: string; series: string; count: number } {
  if (start !== undefined) pattern.checkStart(start)
  const series = pattern.seriesOf(day)
  const counts = [...taken.values()].flatMap((each) => (each.series === series ? (each.count ?? 0) : []))
  const first = start === undefined ? undefined : pattern.countIn(day, start)
  let count = Math.max(counts.reduce((highest, each) => Math.max(highest, each), 0) + 1, first ?? 1)
  while (taken.has(pattern.format(day, count))) count++
  return { number: pattern.format(day, count), series, count }
}
