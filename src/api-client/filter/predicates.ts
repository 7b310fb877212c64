import { isDay, startOfDay } from '../../calendar/day.js'
import type { WireFields } from '../types.js'
import { type Condition, decimalOf, isTime, matchesCondition, parseCondition } from './conditions.js'
import type { Predicates } from './query.js'

/**
 * Whether a record that no service has filtered matches all Ransack predicates (service-api-v1.md section 4, "Filtering
 * lists"). Where services differ: a day compared with a time is the midnight of that day in the time zone of this process,
 * a time without an offset is in that zone, and texts are in the order of their characters. A missing field and values
 * that cannot be compared do not match.
 */
export function matchesPredicates(record: WireFields, predicates: Predicates): boolean {
  return Object.entries(predicates).every(([key, operand]) => {
    const condition = parseCondition(key, operand)
    if (!condition || !Object.hasOwn(record, condition.field)) return false
    const value = record[condition.field]
    return matchesCondition(value, condition) ?? matchesLocally(value, condition)
  })
}

function matchesLocally(value: unknown, { field, matcher, operand }: Condition): boolean {
  if (matcher === 'cont') return false
  const order = compare(field, value, operand)
  if (matcher === 'eq') return order === 0
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/**
 * Returns a number below, equal to or above zero for a value less than, equal to or greater than the operand; NaN for
 * values that cannot be compared.
 */
function compare(field: string, value: unknown, operand: unknown): number {
  if (!isComparable(value) || !isComparable(operand)) return Number.NaN
  if (typeof value === 'number' || typeof operand === 'number' || field === 'amount')
    return (decimalOf(value) ?? Number.NaN) - (decimalOf(operand) ?? Number.NaN)
  const difference = instantOf(value) - instantOf(operand)
  if (!Number.isNaN(difference)) return difference
  if (value === operand) return 0
  return value < operand ? -1 : 1
}

function isComparable(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Returns a day or a time in epoch milliseconds; NaN for other text. */
function instantOf(text: string): number {
  if (isDay(text)) return startOfDay(text).getTime()
  return isTime(text) ? Date.parse(text) : Number.NaN
}
