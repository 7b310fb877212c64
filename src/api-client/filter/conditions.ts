import type { Predicates } from './query.js'

type Value = Predicates[string]

/** A parsed predicate: `amount_gteq` is the field `amount` and the matcher `gteq`. */
export interface Condition {
  field: string
  matcher: 'eq' | 'gteq' | 'lt' | 'cont'
  operand: Value
}

/** Parses one predicate; undefined for an unknown matcher. */
export function parseCondition(key: string, operand: Value): Condition | undefined {
  const [, field, matcher] = /^(.+)_(eq|gteq|lt|cont)$/s.exec(key) ?? []
  if (field === undefined || matcher === undefined) return undefined
  return { field, matcher: matcher as Condition['matcher'], operand }
}

/**
 * Whether a value of a record matches a condition (service-api-v1.md section 4, "Filtering lists") at every service.
 *
 * Undefined where services differ: the order of texts, a time without an offset, a day compared with a time, texts that
 * are equal as decimals only, and values of different types.
 */
export function matchesCondition(
  value: unknown,
  { field, matcher, operand }: Condition,
): boolean | undefined {
  if (value !== operand && (value === null || operand === null)) return false
  if (value === null) return matcher === 'eq' ? true : undefined
  if (typeof value === 'object') return undefined
  if (matcher === 'cont')
    return typeof value === 'string' ? foldCase(value).includes(foldCase(String(operand))) : undefined
  if (matcher === 'eq' && String(value) === String(operand)) return true
  if (typeof value === 'boolean') {
    const flag = flags.get(String(operand).toLowerCase())
    return matcher === 'eq' && flag !== undefined ? value === flag : undefined
  }
  const order = compare(field, value, operand)
  if (order === undefined) return undefined
  if (matcher === 'eq') return order === 0
  if (Number.isNaN(order)) return undefined
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/**
 * Returns a number below, equal to or above zero for a value less than, equal to or greater than the operand; NaN for
 * different texts; undefined where services differ.
 */
function compare(field: string, value: unknown, operand: Value): number | undefined {
  if (typeof value === 'number' || field === 'amount') return difference(decimalOf(value), decimalOf(operand))
  if (typeof value !== 'string' || typeof operand === 'boolean') return undefined
  const text = String(operand)
  if (isTime(value)) return difference(instantOf(value), instantOf(text))
  if (day.test(value)) return day.test(text) ? Number(value > text) - Number(value < text) : undefined
  // A service may send a decimal as text, with more or fewer zeros.
  return difference(decimalOf(value), decimalOf(text)) === 0 ? undefined : Number.NaN
}

function difference(value: number | undefined, operand: number | undefined): number | undefined {
  return value === undefined || operand === undefined ? undefined : value - operand
}

/** Returns a number, or a decimal as text, as a number. Takes time proportional to the length of the text. */
export function decimalOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/.test(value)
    ? Number(value)
    : undefined
}

/** Whether the text is a date with a time of day, with or without an offset. */
export function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
}

const day = /^\d{4}-\d\d-\d\d$/

/** Returns a time with an offset in epoch milliseconds; undefined for a day, and for a time in an unknown zone. */
function instantOf(text: string): number | undefined {
  if (!isTime(text) || !hasOffset(text)) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}

/** Whether a time names its offset from UTC. */
export function hasOffset(time: string): boolean {
  return /(Z|UTC|[+-]\d\d:?\d\d)$/i.test(time)
}

const flags = new Map([
  ...['true', 't', '1'].map((text) => [text, true] as const),
  ...['false', 'f', '0'].map((text) => [text, false] as const),
])

/**
 * Returns text for a comparison that ignores case. Converts ẞ to ß, ß to SS and that to lower case, and replaces the sigma
 * that ends a word, which is a separate letter in lower case.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}
