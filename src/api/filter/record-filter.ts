import { isObject } from '../../lib/is-object.js'
import { type Fields, findObject } from '../decode/shapes.js'
import { matchesCondition, readCondition } from './conditions.js'
import type { Predicates } from './query.js'

/** Prepares, from a record as it was received, the test of its decoded form. */
export type RecordFilter = (received: unknown) => (record: Fields) => boolean

/**
 * Filters what a service returns for the predicates once more: a service may ignore a condition, trim its value, or read
 * wildcards in it. Drops only records that surely do not meet them: a field that was not received, a day compared with a
 * time (in an unknown time zone), the order of texts, and values of different types are left to the service.
 */
export function recordFilter(predicates: Predicates): RecordFilter {
  const conditions = Object.entries(predicates).flatMap(([key, wanted]) => readCondition(key, wanted) ?? [])
  return (received) => {
    const fields = findObject(received) ?? {}
    // Decoding adds fields that are missing, as null.
    const testable = conditions.filter(({ field }) => isReceived(fields, field))
    return (record) =>
      testable.every((condition) => matchesCondition(record[condition.field], condition) !== false)
  }
}

function isReceived(fields: Fields, field: string): boolean {
  if (Object.hasOwn(fields, field)) return true
  // A relation may be nested: `project: {id: 1}` for `project_id`.
  const relation = field.endsWith('_id') ? fields[field.slice(0, -3)] : undefined
  return typeof relation === 'number' || isObject(relation)
}
