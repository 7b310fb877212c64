import { isDay, startOfDay } from '../../lib/calendar/day.js'
import { instantInZone } from '../../lib/calendar/zoned-time.js'
import { isObject } from '../../lib/is-object.js'
import { type Fields, findObject } from '../decode/shapes.js'
import type { WireFields } from '../types.js'
import type { Predicates } from './query.js'

type Value = Predicates[string]

/** A parsed predicate: `amount_gteq` is the field `amount` and the matcher `gteq`. */
interface Condition {
  field: string
  matcher: 'eq' | 'gteq' | 'lt' | 'cont'
  operand: Value
}

/** Parses one predicate; undefined for an unknown matcher. */
function parseCondition(key: string, operand: Value): Condition | undefined {
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
function matchesCondition(value: unknown, { field, matcher, operand }: Condition): boolean | undefined {
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
function decimalOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*[+-]?(\d+(\.\d*)?|\.\d+)\s*$/.test(value)
    ? Number(value)
    : undefined
}

/** Whether the text is a date with a time of day, with or without an offset. */
function isTime(text: string): boolean {
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
function hasOffset(time: string): boolean {
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

/**
 * Whether a record that no service has filtered matches all Ransack predicates (service-api-v1.md section 4, "Filtering
 * lists"). Where services differ: a day compared with a time is the midnight of that day in `zone`, a time without an offset
 * is in that zone, and texts are in the order of their characters. A missing field and values that cannot be compared do
 * not match.
 *
 * @param zone the time zone of the company (IANA name); undefined, and an unknown one, means that of this process
 */
export function matchesPredicates(record: WireFields, predicates: Predicates, zone?: string): boolean {
  return Object.entries(predicates).every(([key, operand]) => {
    const condition = parseCondition(key, operand)
    if (!condition || !Object.hasOwn(record, condition.field)) return false
    const value = record[condition.field]
    return matchesCondition(value, condition) ?? matchesLocally(value, condition, zone)
  })
}

function matchesLocally(value: unknown, { field, matcher, operand }: Condition, zone?: string): boolean {
  if (matcher === 'cont') return false
  const order = compareFields(field, value, operand, zone)
  if (matcher === 'eq') return order === 0
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/**
 * Returns a number below, equal to or above zero for a value less than, equal to or greater than the operand; NaN for
 * values that cannot be compared.
 */
function compareFields(field: string, value: unknown, operand: unknown, zone: string | undefined): number {
  if (!isComparable(value) || !isComparable(operand)) return Number.NaN
  if (typeof value === 'number' || typeof operand === 'number' || field === 'amount')
    return (decimalOf(value) ?? Number.NaN) - (decimalOf(operand) ?? Number.NaN)
  const difference = zonedInstantOf(value, zone) - zonedInstantOf(operand, zone)
  if (!Number.isNaN(difference)) return difference
  if (value === operand) return 0
  return value < operand ? -1 : 1
}

function isComparable(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Returns a day or a time in epoch milliseconds; NaN for other text. */
function zonedInstantOf(text: string, zone: string | undefined): number {
  if (isDay(text)) return zonedInstant(`${text}T00:00`, zone) ?? startOfDay(text).getTime()
  if (!isTime(text)) return Number.NaN
  return (hasOffset(text) ? undefined : zonedInstant(text, zone)) ?? Date.parse(text)
}

/** Returns the instant of a wall time in the time zone; undefined for an unknown zone. */
function zonedInstant(wallTime: string, zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined
  const instant = instantInZone(Date.parse(`${wallTime.replace(' ', 'T')}Z`), zone)
  return Number.isNaN(instant) ? undefined : instant
}

/** Whether a filter has a day, or a time without an offset, which is in the time zone of the company. */
export function hasZonelessTimes(predicates: Predicates): boolean {
  return Object.values(predicates).some((operand) => {
    const text = String(operand)
    return isDay(text) || (isTime(text) && !hasOffset(text))
  })
}

/** Whether letters of another language in a filter may be compared differently from the service. */
export function hasUncertainLetters(predicates: Predicates): boolean {
  return Object.entries(predicates).some(
    ([key, operand]) => key.endsWith('_cont') && /(?=\P{ASCII})\p{L}/u.test(String(operand)),
  )
}

/** Returns, for a record as the service sent it, the test of the decoded record. */
export type RecordFilter = (sent: unknown) => (record: Fields) => boolean

/**
 * Returns a filter that checks the records of a service again: a service may ignore a predicate, trim its value, or
 * interpret wildcards in it. Drops only records that certainly do not match. Relies on the service for a field that it did
 * not send, for the order of texts, for values of different types, and for a day compared with a time, because the time
 * zone of the service is unknown.
 */
export function recordFilter(predicates: Predicates): RecordFilter {
  const conditions = Object.entries(predicates).flatMap(
    ([key, operand]) => parseCondition(key, operand) ?? [],
  )
  return (sent) => {
    const fields = findObject(sent) ?? {}
    // Decoding adds missing fields as null.
    const testable = conditions.filter(({ field }) => isSent(fields, field))
    return (record) =>
      testable.every((condition) => matchesCondition(record[condition.field], condition) !== false)
  }
}

function isSent(fields: Fields, field: string): boolean {
  if (Object.hasOwn(fields, field)) return true
  // A relation may be nested: `project: {id: 1}` for `project_id`.
  const relation = field.endsWith('_id') ? fields[field.slice(0, -3)] : undefined
  return typeof relation === 'number' || isObject(relation)
}
