import type { Predicates } from '../api/query.js'
import { isDay, startOfDay } from '../calendar/day.js'
import type { WireFields } from './change.js'

type Value = Predicates[string]

/**
 * Whether a record meets all Ransack predicates (service-api-v1.md section 4, "Filtering lists"), where no service is
 * there to say so. It reads a record as its fields look: ids and amounts as numbers, times to the millisecond, and a
 * day beside a time as that day's midnight in the zone of this process. A field that the record does not have, and a
 * comparison that has no meaning, are not met.
 */
export function meets(record: WireFields, predicates: Predicates): boolean {
  return Object.entries(predicates).every(([key, wanted]) => {
    const [, field, matcher] = /^(.+)_(eq|gteq|lt|cont)$/s.exec(key) ?? []
    if (field === undefined || !Object.hasOwn(record, field)) return false
    const has = record[field]
    if (matcher === 'cont') return contains(has, wanted)
    if (matcher === 'eq') return isEqual(field, has, wanted)
    const order = compared(field, has, wanted)
    return matcher === 'gteq' ? order >= 0 : order < 0
  })
}

function contains(has: unknown, wanted: Value): boolean {
  if (typeof has !== 'string' || wanted === null || typeof wanted === 'boolean') return false
  return has.toLowerCase().includes(String(wanted).toLowerCase())
}

const flags = new Map([
  ...['true', 't', '1'].map((word) => [word, true] as const),
  ...['false', 'f', '0'].map((word) => [word, false] as const),
])

function isEqual(field: string, has: unknown, wanted: Value): boolean {
  if (has === null || wanted === null) return has === wanted
  if (typeof has === 'boolean') return flags.get(String(wanted).toLowerCase()) === has
  // What is typed is text: `id_eq=12`.
  if (typeof has !== 'object' && String(has) === String(wanted)) return true
  return compared(field, has, wanted) === 0
}

/** Below zero where the record has less than what is wanted, above where it has more; NaN where there is no order. */
function compared(field: string, has: unknown, wanted: Value): number {
  if (!isOrdered(has) || !isOrdered(wanted)) return Number.NaN
  if (typeof has === 'number' || typeof wanted === 'number' || field === 'amount')
    return numberOf(has) - numberOf(wanted)
  const [time, wantedTime] = [instantOf(has), instantOf(wanted)]
  if (!Number.isNaN(time) && !Number.isNaN(wantedTime)) return time - wantedTime
  if (has === wanted) return 0
  return has < wanted ? -1 : 1
}

function isOrdered(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

function numberOf(value: string | number): number {
  return typeof value === 'number' || /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/.test(value)
    ? Number(value)
    : Number.NaN
}

/** Milliseconds since 1970; NaN for text that is neither a day nor a time. */
function instantOf(text: string): number {
  if (isDay(text)) return startOfDay(text).getTime()
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
}
