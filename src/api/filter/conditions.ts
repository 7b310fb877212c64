import type { Predicates } from './query.js'

type Value = Predicates[string]

/** A predicate whose key was read: `amount_gteq` is the field `amount` and the matcher `gteq`. */
export interface Condition {
  field: string
  matcher: 'eq' | 'gteq' | 'lt' | 'cont'
  wanted: Value
}

/** Reads one predicate; undefined for an unknown matcher. */
export function readCondition(key: string, wanted: Value): Condition | undefined {
  const [, field, matcher] = /^(.+)_(eq|gteq|lt|cont)$/s.exec(key) ?? []
  if (field === undefined || matcher === undefined) return undefined
  return { field, matcher: matcher as Condition['matcher'], wanted }
}

/**
 * Whether a value of a record matches a condition (service-api-v1.md section 4, "Filtering lists") at every service;
 * undefined where services differ: the order of texts, a time without an offset, a day beside a time, texts that differ
 * only as decimals, and values of different types.
 */
export function matchesCondition(has: unknown, { field, matcher, wanted }: Condition): boolean | undefined {
  if (has !== wanted && (has === null || wanted === null)) return false
  if (has === null) return matcher === 'eq' ? true : undefined
  if (typeof has === 'object') return undefined
  if (matcher === 'cont')
    return typeof has === 'string' ? folded(has).includes(folded(String(wanted))) : undefined
  if (matcher === 'eq' && String(has) === String(wanted)) return true
  if (typeof has === 'boolean') {
    const flag = flags.get(String(wanted).toLowerCase())
    return matcher === 'eq' && flag !== undefined ? has === flag : undefined
  }
  const order = orderOf(field, has, wanted)
  if (order === undefined) return undefined
  if (matcher === 'eq') return order === 0
  if (Number.isNaN(order)) return undefined
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/** Returns a negative, zero or positive number; NaN for texts that differ, undefined where services differ. */
function orderOf(field: string, has: unknown, wanted: Value): number | undefined {
  if (typeof has === 'number' || field === 'amount') return difference(decimalOf(has), decimalOf(wanted))
  if (typeof has !== 'string' || typeof wanted === 'boolean') return undefined
  const text = String(wanted)
  if (isTime(has)) return difference(instantOf(has), instantOf(text))
  if (day.test(has)) return day.test(text) ? Number(has > text) - Number(has < text) : undefined
  // A field of decimals may be sent as text, with more or fewer zeros.
  return difference(decimalOf(has), decimalOf(text)) === 0 ? undefined : Number.NaN
}

function difference(has: number | undefined, wanted: number | undefined): number | undefined {
  return has === undefined || wanted === undefined ? undefined : has - wanted
}

/** Returns a number, or text that is a decimal, as a number. Takes time in proportion to the length of the text. */
export function decimalOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/.test(value)
    ? Number(value)
    : undefined
}

/** Whether the text is a day with a time, with or without an offset. */
export function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)
}

const day = /^\d{4}-\d\d-\d\d$/

/** Epoch milliseconds of a time with its offset; undefined for a day, and for a time in an unknown zone. */
function instantOf(text: string): number | undefined {
  if (!isTime(text) || !/(Z|UTC|[+-]\d\d:?\d\d)$/i.test(text)) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}

const flags = new Map([
  ...['true', 't', '1'].map((word) => [word, true] as const),
  ...['false', 'f', '0'].map((word) => [word, false] as const),
])

/**
 * Returns text without differences of case; upper case first for letters such as ß that have no single counterpart. The
 * sigma at the end of a word is one of its own in lower case.
 */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}
