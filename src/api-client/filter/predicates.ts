import { isDay, startOfDay } from '../../lib/calendar/day.js'
import { instantInZone } from '../../lib/calendar/zoned-time.js'
import type { WireFields } from '../types.js'
import {
  type Condition,
  decimalOf,
  hasOffset,
  isTime,
  matchesCondition,
  parseCondition,
} from './conditions.js'
import type { Predicates } from './query.js'

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
  const order = compare(field, value, operand, zone)
  if (matcher === 'eq') return order === 0
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/**
 * Returns a number below, equal to or above zero for a value less than, equal to or greater than the operand; NaN for
 * values that cannot be compared.
 */
function compare(field: string, value: unknown, operand: unknown, zone: string | undefined): number {
  if (!isComparable(value) || !isComparable(operand)) return Number.NaN
  if (typeof value === 'number' || typeof operand === 'number' || field === 'amount')
    return (decimalOf(value) ?? Number.NaN) - (decimalOf(operand) ?? Number.NaN)
  const difference = instantOf(value, zone) - instantOf(operand, zone)
  if (!Number.isNaN(difference)) return difference
  if (value === operand) return 0
  return value < operand ? -1 : 1
}

function isComparable(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Returns a day or a time in epoch milliseconds; NaN for other text. */
function instantOf(text: string, zone: string | undefined): number {
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
