import { isObject } from '../../lib/is-object.js'
import type { RecordDeclaration } from '../../records/records.js'
import { invalidQuery } from '../http/http-error.js'
import type { ApiRequest } from '../http/request-context.js'
import { matchers } from './ransack.js'

/** The values of a filter by key, `FIELD_MATCHER`. */
export type Predicates = ReadonlyMap<string, unknown>

/**
 * Returns the filter of a list: the JSON object in `q` (service-api-v1.md section 4), or the parameters `q[FIELD_MATCHER]`
 * of Ransack clients.
 *
 * Throws HttpError 400 `invalid_query` for any other parameter that looks like a condition, and for repeated conditions: a
 * client that deletes what it has listed would delete too much if the service ignored them.
 */
export function readFilter({ parameters }: ApiRequest, record: RecordDeclaration): Predicates {
  const bracketed = new Map<string, unknown>()
  let json: string | undefined
  for (const [name, value] of parameters) {
    if (name === 'q') {
      if (json !== undefined) throw invalidQuery('The parameter q occurs more than once.')
      json = value
    } else if (/^q\b/i.test(name)) {
      const key = bracketedKey(name)
      if (bracketed.has(key)) throw repeated(key)
      bracketed.set(key, value)
    } else if (isLikeCondition(name, record)) {
      throw invalidQuery(`"${name}" is not a parameter; filter with q[FIELD_MATCHER] or a JSON object in q.`)
    }
  }
  if (json === undefined) return bracketed
  if (bracketed.size === 0) return parsePredicates(json)
  throw invalidQuery('q and q[FIELD_MATCHER] cannot be combined.')
}

/** Returns the predicates in a JSON object; none for an empty text. Throws HttpError 400 `invalid_query`. */
export function parsePredicates(q: string): Predicates {
  if (q.trim() === '') return new Map()
  let value: unknown
  try {
    value = JSON.parse(q)
  } catch {
    throw invalidQuery('q is not JSON.')
  }
  if (!isObject(value)) throw invalidQuery('q is not a JSON object.')
  const predicates = new Map(Object.entries(value))
  const duplicate = repeatedKey(q, predicates)
  if (duplicate !== undefined) throw repeated(duplicate)
  return predicates
}

function bracketedKey(name: string): string {
  const [, key] = /^q\[(\w+)\]$/.exec(name) ?? []
  if (key !== undefined) return key
  throw invalidQuery(`"${name}" is not supported; filter with q[FIELD_MATCHER] or a JSON object in q.`)
}

/** Whether a parameter is a condition of other services: its name has a field, a matcher or brackets. */
function isLikeCondition(name: string, { fields }: RecordDeclaration): boolean {
  const [start = ''] = name.split('[')
  return (
    start !== name ||
    matchers.some((matcher) => start.endsWith(`_${matcher}`)) ||
    Object.keys(fields).some((field) => start === field || start.startsWith(`${field}_`))
  )
}

/** Returns a key that occurs twice in a flat JSON object. Of its values, JSON.parse returns only the last. */
function repeatedKey(json: string, predicates: Predicates): string | undefined {
  if ([...predicates.values()].some((value) => typeof value === 'object' && value !== null)) return undefined
  const keys = [...json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].flatMap(([, text = '', colon]) =>
    colon === undefined ? [] : [String(JSON.parse(text))],
  )
  return keys.length === predicates.size ? undefined : keys.find((key, index) => keys.indexOf(key) !== index)
}

const repeated = (key: string) => invalidQuery(`"${key}" occurs more than once.`)
