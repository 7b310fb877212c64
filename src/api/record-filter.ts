import type { Predicates } from './query.js'
import { type Fields, findRecord, isObject } from './shapes.js'

type Value = Predicates[string]

/** Prepares, from a record as it was received, the test of its decoded form. */
export type RecordFilter = (received: unknown) => (record: Fields) => boolean

/**
 * Filters what a service returns for the predicates once more: a service may ignore a condition, trim its value, or read
 * wildcards in it. Drops only records that surely do not meet them: a field that was not received, a day compared with a
 * time (in an unknown time zone), the order of texts, and values of different types are left to the service.
 */
export function recordFilter(predicates: Predicates): RecordFilter {
  const conditions = Object.entries(predicates).flatMap(([key, wanted]) => {
    const [, field, matcher] = /^(.+)_(eq|gteq|lt|cont)$/s.exec(key) ?? []
    return field === undefined || matcher === undefined ? [] : [{ field, matcher, wanted }]
  })
  return (received) => {
    const fields = findRecord(received) ?? {}
    // Decoding adds fields that are missing, as null.
    const testable = conditions.filter(({ field }) => isReceived(fields, field))
    return (record) =>
      testable.every(({ field, matcher, wanted }) => isMet(field, record[field], matcher, wanted) !== false)
  }
}

function isReceived(fields: Fields, field: string): boolean {
  if (Object.hasOwn(fields, field)) return true
  // A relation may be nested: `project: {id: 1}` for `project_id`.
  const relation = field.endsWith('_id') ? fields[field.slice(0, -3)] : undefined
  return typeof relation === 'number' || isObject(relation)
}

/** Whether a value meets a condition; undefined where only the service knows. */
function isMet(field: string, has: unknown, matcher: string, wanted: Value): boolean | undefined {
  if (has === null || wanted === null) return has === wanted
  if (matcher === 'cont')
    return typeof has === 'string' ? folded(has).includes(folded(String(wanted))) : undefined
  if (matcher === 'eq' && String(has) === String(wanted)) return true
  if (typeof has === 'boolean') {
    const flag = booleanOf(wanted)
    return matcher === 'eq' && flag !== undefined ? has === flag : undefined
  }
  const order = orderOf(field, has, wanted)
  if (order === undefined) return undefined
  if (matcher === 'eq') return order === 0
  // Services order texts by collations of their own.
  if (Number.isNaN(order)) return undefined
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/** The sign of the difference; NaN for texts that differ, undefined for values that cannot be compared here. */
function orderOf(field: string, has: unknown, wanted: Value): number | undefined {
  if (typeof has === 'number' || field === 'amount') return difference(decimalOf(has), decimalOf(wanted))
  if (typeof has !== 'string' || typeof wanted === 'boolean') return undefined
  const text = String(wanted)
  if (time.test(has)) return difference(instantOf(has), instantOf(text))
  if (day.test(has)) return day.test(text) ? Number(has > text) - Number(has < text) : undefined
  // A decimal may be sent as text, with more or fewer zeros.
  return difference(decimalOf(has), decimalOf(text)) === 0 ? 0 : Number.NaN
}

function difference(has: number | undefined, wanted: number | undefined): number | undefined {
  return has === undefined || wanted === undefined ? undefined : has - wanted
}

function decimalOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value) ? Number(value) : undefined
}

const day = /^\d{4}-\d\d-\d\d$/
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/

/** Epoch milliseconds of a time with its offset; undefined for a day, and for a time in an unknown zone. */
function instantOf(text: string): number | undefined {
  if (!time.test(text) || !/(Z|UTC|[+-]\d\d:?\d\d)$/i.test(text)) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant
}

function booleanOf(value: Value): boolean | undefined {
  const text = String(value).toLowerCase()
  if (['true', 't', '1'].includes(text)) return true
  return ['false', 'f', '0'].includes(text) ? false : undefined
}

/** Text without differences of case; upper case first for letters such as ß that have no single counterpart. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase()
}
