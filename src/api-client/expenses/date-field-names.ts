import { RejectedError } from '../api-errors.js'
import type { Fields } from '../decode/shapes.js'
import type { Predicates } from '../filter/query.js'
import type { Expense, WireFields } from '../types.js'

/** The name of the date field inside this program, and at the service in this repository. */
export const standardName = 'spent_on'

/** Usual names, most likely first. */
const usualNames = [
  ...['date', 'expense_date', 'spent_at', 'spent_date', 'date_spent', 'expensed_on', 'incurred_on'],
  ...['incurred_at', 'incurred_date', 'purchased_on', 'purchase_date', 'transaction_date', 'occurred_on'],
  ...['occurred_at', 'receipt_date', 'day'],
]
const datePattern = /(^|_)(date|day|on)$/
/** Dates of other events of an expense. */
const otherEventPattern =
  /^(created|updated|deleted|archived|submitted|approved|rejected|paid|payment|reimbursed|exported|booked|due|billed|invoiced?|locked|closed)_/

/** Sentences with which Rails reports a missing field. */
const missingPattern =
  /\b(can['’]?t be blank|cannot be blank|is required|must exist|is missing|must be present)/i

/** Returns the field that is probably the date: one with a usual name, or the only one whose value is a date. */
export function findDateField(fields: WireFields): string | undefined {
  if (standardName in fields) return undefined
  const days = Object.keys(fields).filter((name) => isDay(fields[name]) && name !== 'notes')
  return mostLikelyName(days) ?? (days.length === 1 ? days[0] : undefined)
}

/** Returns the name of the date field in a record: a usual one, or the only possible one. */
export function dateNameOf(record: Fields): string | undefined {
  const names = Object.keys(record).filter((name) => isEmptyOrDate(record[name]))
  const usual = mostLikelyName(names)
  if (usual !== undefined) return usual
  const likely = names.filter((name) => isLikelyName(toSnakeCase(name)))
  if (likely.length > 0) return likely.length === 1 ? likely[0] : undefined
  const days = names.filter((name) => isDay(record[name]) && !otherEventPattern.test(toSnakeCase(name)))
  return days.length === 1 ? days[0] : undefined
}

/** Returns the date field that a rejection (422) requires; undefined if it names no field other than those sent. */
export function requiredDateName(error: unknown, sent: WireFields): string | undefined {
  if (!(error instanceof RejectedError) || error.status !== 422) return undefined
  const fields = error.fields.map((field) => field.replace(/^expense\.|^expense\[(.+)\]$/, '$1'))
  const names = fields.filter((name) => isDateName(name) && !(name in sent))
  const usual = mostLikelyName(names)
  if (usual !== undefined || names.length > 0) return usual ?? (names.length === 1 ? names[0] : undefined)
  if (!missingPattern.test(error.reason)) return undefined
  // `Expense date can't be blank`: Rails writes the name with spaces.
  const reason = error.reason.toLowerCase()
  return [standardName, ...usualNames]
    .filter((name) => !(name in sent) && reason.includes(name.replaceAll('_', ' ')))
    .sort((a, b) => b.length - a.length)[0]
}

/** Whether a field with this name is probably the date of an expense. */
function isDateName(name: string): boolean {
  const snake = toSnakeCase(name)
  return snake === standardName || usualNames.includes(snake) || isLikelyName(snake)
}

function isLikelyName(snake: string): boolean {
  return datePattern.test(snake) && !otherEventPattern.test(snake)
}

function mostLikelyName(names: readonly string[]): string | undefined {
  for (const usual of [standardName, ...usualNames]) {
    const match = names.find((name) => toSnakeCase(name) === usual)
    if (match !== undefined) return match
  }
  return undefined
}

function toSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
}

function isEmptyOrDate(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^\d{4}-\d\d-\d\d($|[T ])/.test(value))
}

const matcher = /_(eq|gteq|lt|cont)$/

/** Returns the predicates on the date of an expense, under the name `spent_on`, and all others. */
export function splitByDate(predicates: Predicates): { onDate: Predicates; others: Predicates } {
  const [onDate, others]: [Predicates, Predicates] = [{}, {}]
  for (const [key, value] of Object.entries(predicates))
    (isOn(key, standardName) ? onDate : others)[key] = value
  return { onDate, others }
}

/** Returns the predicates with those on the field `from` changed to the field `to`. */
export function renamePredicates(predicates: Predicates, from: string, to: string): Predicates {
  if (from === to) return predicates
  return Object.fromEntries(
    Object.entries(predicates).map(([key, value]) =>
      isOn(key, from) ? [`${to}${key.slice(from.length)}`, value] : [key, value],
    ),
  )
}

/** Whether the date of an expense matches the predicates. Dates are compared as text. */
export function matchesDate({ spent_on: day }: Expense, predicates: Predicates): boolean {
  return Object.entries(predicates).every(([key, operand]) => {
    if (typeof day !== 'string' || operand === null) return (day ?? null) === operand && key.endsWith('_eq')
    const text = String(operand)
    if (key.endsWith('_eq')) return day === text
    if (key.endsWith('_cont')) return day.includes(text)
    return key.endsWith('_gteq') ? day >= text : day < text
  })
}

function isOn(key: string, field: string): boolean {
  return key.replace(matcher, '') === field
}
