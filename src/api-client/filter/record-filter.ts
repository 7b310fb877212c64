import { isObject } from '../../lib/is-object.js'
import { type Fields, findObject } from '../decode/shapes.js'
import { matchesCondition, parseCondition } from './conditions.js'
import type { Predicates } from './query.js'

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
