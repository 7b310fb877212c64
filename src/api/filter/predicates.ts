import { isDay, startOfDay } from '../../calendar/day.js'
import type { WireFields } from '../types.js'
import { type Condition, decimalOf, isTime, matchesCondition, readCondition } from './conditions.js'
import type { Predicates } from './query.js'

/**
 * Whether a record meets all Ransack predicates (service-api-v1.md section 4, "Filtering lists"), where no service is
 * there to say so. What services may understand differently is decided here: a day beside a time is that day's midnight
 * in the zone of this process, a time without an offset is in that zone, and texts are in the order of their characters.
 * A field that the record does not have, and a comparison that has no meaning, are not met.
 */
export function matchesPredicates(record: WireFields, predicates: Predicates): boolean {
  return Object.entries(predicates).every(([key, wanted]) => {
    const condition = readCondition(key, wanted)
    if (!condition || !Object.hasOwn(record, condition.field)) return false
    const has = record[condition.field]
    return matchesCondition(has, condition) ?? isMetHere(has, condition)
  })
}

function isMetHere(has: unknown, { field, matcher, wanted }: Condition): boolean {
  if (matcher === 'cont') return false
  const order = compare(field, has, wanted)
  if (matcher === 'eq') return order === 0
  return matcher === 'gteq' ? order >= 0 : order < 0
}

/** Returns a number below zero where the record has less than what is wanted, above where it has more; NaN where there is no order. */
function compare(field: string, has: unknown, wanted: unknown): number {
  if (!isOrdered(has) || !isOrdered(wanted)) return Number.NaN
  if (typeof has === 'number' || typeof wanted === 'number' || field === 'amount')
    return (decimalOf(has) ?? Number.NaN) - (decimalOf(wanted) ?? Number.NaN)
  const [time, wantedTime] = [instantOf(has), instantOf(wanted)]
  if (!Number.isNaN(time) && !Number.isNaN(wantedTime)) return time - wantedTime
  if (has === wanted) return 0
  return has < wanted ? -1 : 1
}

function isOrdered(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** Milliseconds since 1970; NaN for text that is neither a day nor a time. */
function instantOf(text: string): number {
  if (isDay(text)) return startOfDay(text).getTime()
  return isTime(text) ? Date.parse(text) : Number.NaN
}
