import { instantAt, startOfDay } from '../../lib/calendar/time-zone.js'
import { isObject } from '../../lib/is-object.js'
import type { FieldType, RecordDeclaration } from '../../records/records.js'
import type { ApiRequest, RequestContext } from '../http/request-context.js'
import { invalidQuery } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { identifier, type Sql, sql } from '../storage/sql.js'
import { decimalPlaces, isTextType, versionColumn, versionOfTag } from './fields.js'
import { isStorable, parseDay, parseDecimal, parseFilterTime, toUnits } from './values.js'

/** An SQL expression that is true for the rows to return. */
export type Condition = Sql

/** Where filters read the time zone of the company. */
export type FilterSource = Pick<RequestContext, 'queries' | 'timeZone'>

/** The comparisons of predicates, which are the suffixes of their keys. */
export const matchers = ['eq', 'gteq', 'lt', 'cont'] as const
type Matcher = (typeof matchers)[number]

/** The values of a filter by key, `FIELD_MATCHER`. */
type Predicates = ReadonlyMap<string, unknown>

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
  // Most clients send this form, which has no repeated key. Looking for one takes longer.
  const duplicate = JSON.stringify(value) === q ? undefined : repeatedKey(q, predicates)
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

/** One parsed predicate. `key` is the original text, for messages. */
interface Predicate {
  key: string
  column: Sql
  type: FieldType
  matcher: Matcher
  value: string | number | boolean
}

/**
 * Returns the conditions of a filter on a resource (service-api-v1.md section 4, filtering lists).
 *
 * Throws HttpError 400 `invalid_query`, whose message names the invalid part.
 */
export async function parseConditions(
  predicates: Predicates,
  record: RecordDeclaration,
  source: FilterSource,
): Promise<Condition[]> {
  const conditions: Condition[] = []
  for (const [key, value] of predicates) {
    conditions.push(await toCondition(key, value, record, source))
  }
  return conditions
}

/**
 * Returns the instant, in epoch milliseconds, with which a filter compares a field of time; undefined without that
 * predicate. Throws like `parseConditions`.
 */
export async function comparedInstant(
  predicates: Predicates,
  { field, matcher }: { field: string; matcher: Comparison },
  source: FilterSource,
): Promise<number | undefined> {
  const key = `${field}_${matcher}`
  const value = predicates.get(key)
  return typeof value === 'string' ? instantOf({ key, value }, source) : undefined
}

async function toCondition(
  key: string,
  value: unknown,
  record: RecordDeclaration,
  source: FilterSource,
): Promise<Condition> {
  const { field, matcher } = splitKey(key)
  const type = Object.hasOwn(record.fields, field) ? record.fields[field]?.type : undefined
  if (type === undefined) {
    const known = Object.keys(record.fields).join(', ')
    throw invalidQuery(`"${key}": this resource has no field "${field}"; its fields are ${known}.`)
  }
  const column = identifier(record.table, columnOf(field, type))
  if (value === null) {
    if (matcher === 'eq') return sql`${column} is null`
    throw invalidQuery(`"${key}" cannot be compared with null; only _eq allows null.`)
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    throw invalidQuery(`"${key}" requires a string, number or boolean.`)
  }
  return compare({ key, column, type, matcher, value }, source)
}

/** Returns the name of the column with which a field is compared. */
function columnOf(field: string, type: FieldType): string {
  if (type === 'decimal') return `${field}_units`
  return type === 'tag' ? versionColumn : field
}

/** Splits a key into field and matcher. No matcher is a suffix of another, so at most one fits. */
function splitKey(key: string): { field: string; matcher: Matcher } {
  const matcher = matchers.find((suffix) => key.endsWith(`_${suffix}`))
  if (matcher) return { field: key.slice(0, -matcher.length - 1), matcher }
  const known = matchers.map((suffix) => `_${suffix}`).join(', ')
  throw invalidQuery(`"${key}" does not end in a matcher; the matchers are ${known}.`)
}

async function compare(predicate: Predicate, source: FilterSource): Promise<Condition> {
  const { key, column, type, matcher } = predicate
  if (matcher === 'cont') {
    if (!isTextType(type)) throw invalidQuery(`"${key}" requires a text field.`)
    return contains(column, textOf(predicate), source.queries)
  }
  if (isTextType(type)) return compareWith(column, matcher, textOf(predicate))
  switch (type) {
    case 'id':
    case 'reference':
    case 'instant':
      return compareExactly(predicate, 0, 'a whole number')
    case 'decimal':
      return compareExactly(predicate, decimalPlaces, 'a decimal number')
    case 'boolean':
      return compareWith(column, matcher, booleanOf(predicate))
    case 'day':
      return compareWith(column, matcher, dayOf(predicate))
    case 'time':
      return compareWith(column, matcher, await instantOf(predicate, source))
    case 'tag':
      return compareTag(predicate)
  }
}

export type Comparison = Exclude<Matcher, 'cont'>

function compareWith(column: Sql, matcher: Comparison, value: unknown): Condition {
  switch (matcher) {
    case 'eq':
      return sql`${column} = ${value}`
    case 'gteq':
      return sql`${column} >= ${value}`
    case 'lt':
      return sql`${column} < ${value}`
  }
}

/**
 * Compares a column of whole units with a number that may be between two units or outside the range of the column.
 * `expected` names the type for messages.
 */
function compareExactly(
  { key, column, matcher, value }: Predicate,
  scale: number,
  expected: string,
): Condition {
  const decimal = parseDecimal(value)
  if (!decimal || matcher === 'cont') throw invalidQuery(`"${key}" requires ${expected}.`)
  const { units, isExact } = toUnits(scale, decimal)
  if (matcher === 'eq' && !isExact) return sql`${column} <> ${column}`
  // Between n and n + 1, the bound for "at least" and "less than" is n + 1.
  return compareWith(column, matcher, clampToInt64(isExact ? units : units + 1n))
}

/** Entity tags have no order. */
function compareTag(predicate: Predicate): Condition {
  const { key, column, matcher } = predicate
  if (matcher !== 'eq') throw invalidQuery(`"${key}": an entity tag can only be compared with _eq.`)
  const version = versionOfTag(textOf(predicate))
  if (version !== undefined) return compareWith(column, matcher, version)
  throw invalidQuery(`"${key}" requires an entity tag with its quotes, such as ""7"".`)
}

/** Limits a value to 64 bits. No stored number is near these limits, so the result of a comparison stays the same. */
function clampToInt64(units: bigint): number | bigint {
  const bound = 2n ** 63n - 1n
  const clamped = units > bound ? bound : units < -bound ? -bound : units
  return Number.isSafeInteger(Number(clamped)) ? Number(clamped) : clamped
}

/** Returns a literal substring test that ignores the case of ASCII letters only, on both databases. */
function contains(column: Sql, text: string, queries: Queries): Condition {
  const folded = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return queries.dialect === 'sqlite'
    ? sql`instr(lower(${column}), ${folded}) > 0`
    : sql`strpos(lower(${column}), ${folded}) > 0`
}

function textOf({ key, value }: Predicate): string {
  if (typeof value === 'boolean') throw invalidQuery(`"${key}" requires text.`)
  const text = String(value)
  if (isStorable(text)) return text
  throw invalidQuery(`The value of "${key}" contains a character that cannot be stored.`)
}

function booleanOf({ key, value }: Predicate): number {
  const text = String(value).toLowerCase()
  if (['true', 't', '1'].includes(text)) return 1
  if (['false', 'f', '0'].includes(text)) return 0
  throw invalidQuery(`"${key}" requires true or false.`)
}

function dayOf({ key, value }: Predicate): string {
  const day = typeof value === 'string' ? parseDay(value) : undefined
  if (day !== undefined) return day
  throw invalidQuery(`"${key}" requires a date (YYYY-MM-DD).`)
}

/** A date means its first instant. Dates and times without an offset are in the time zone of the company. */
async function instantOf(
  { key, value }: Pick<Predicate, 'key' | 'value'>,
  source: FilterSource,
): Promise<number> {
  const text = typeof value === 'string' ? value : ''
  const day = parseDay(text)
  if (day !== undefined) return startOfDay(day, await timeZoneOf(source))
  const time = parseFilterTime(text)
  if (time?.instant !== undefined) return time.instant
  if (time?.wall !== undefined) return instantAt(time.wall, await timeZoneOf(source))
  throw invalidQuery(`"${key}" requires a date (YYYY-MM-DD) or a time (YYYY-MM-DDTHH:MM:SS+HH:MM).`)
}

/** Returns the time zone of the company (IANA name). */
export async function timeZoneOf({ queries, timeZone }: FilterSource): Promise<string> {
  if (timeZone !== undefined) return timeZone
  const [company] = await queries.all<{ time_zone: string }>(sql`select time_zone from company`)
  return company?.time_zone ?? 'UTC'
}
