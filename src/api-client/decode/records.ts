import { isObject } from '../../lib/is-object.js'
import { trimEnd } from '../../lib/text/words.js'
import {
  assignment,
  client,
  company,
  expense,
  expenseType,
  type Field,
  type Id,
  project,
  type RecordDeclaration,
  type RecordOf,
  task,
  taskLink,
  timeEntry,
} from '../../records/records.js'
import type { CompactList } from '../http/http.js'
import { type EntryTimes, entryTimesType } from '../types.js'
import {
  dayOrNull,
  describeValue,
  type Fields,
  invalidResponse,
  readId,
  readName,
  readRelation,
  textOrNull,
  toRecord,
} from './shapes.js'

/**
 * Returns the function that decodes a kind of record. It normalizes the parsed JSON in place, which preserves unknown fields,
 * and throws an InvalidResponseError that names the invalid part.
 */
function decoder<Declaration extends RecordDeclaration>(
  declaration: Declaration,
): (value: unknown) => RecordOf<Declaration> {
  const { noun } = declaration
  const fields = Object.entries<Field>(declaration.fields)
  // Other services archive tasks, too.
  const hasFlag = declaration.noun === task.noun || 'active' in declaration.fields
  return (value) => {
    const record = toRecord(value, noun)
    for (const [name, field] of fields) {
      const decoded = decodeField(record, name, field, noun)
      if (decoded !== undefined) record[name] = decoded
    }
    if (hasFlag && record.active !== undefined) record.active = readFlag(record.active)
    return record as RecordOf<Declaration>
  }
}

/** Returns undefined for a field that stays as it is. */
function decodeField(
  record: Fields,
  name: string,
  { type, isNullable, write }: Field,
  noun: string,
): unknown {
  const value = record[name]
  switch (type) {
    case 'id':
      return readId(value, noun)
    case 'reference':
      return readRelation(record, name.slice(0, -'_id'.length))
    case 'name':
      return readName(record, record.id as Id)
    case 'text':
    case 'currency':
      return textOrNull(value)
    case 'external_id':
      return value === undefined ? undefined : textOrNull(value)
    case 'day':
      return dayOrNull(value)
    case 'decimal':
      return isMissing(value) ? null : readAmount(value, name)
    case 'time':
      // Only the service of this program defines other times.
      if (!write) return undefined
      return isNullable && isMissing(value) ? null : readTime(value, name)
    case 'boolean':
    case 'instant':
    case 'tag':
      return undefined
  }
}

const isMissing = (value: unknown) => value === undefined || value === null || value === ''

function readFlag(value: unknown): boolean {
  return typeof value === 'boolean' ? value : !['0', 'f', 'false', 'no'].includes(String(value).toLowerCase())
}

/** Decoders of times and amounts, whose formats the API document does not specify. */

const canonicalTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const anyTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?)?\s*(?:Z|UTC|GMT|([+-])(\d\d)(?::?(\d\d))?)?$/i

/** Numbers from here on are milliseconds: as seconds they would be after the year 5000. */
const minMilliseconds = 1e11

/**
 * Returns a time as RFC 3339 in UTC with milliseconds, `2024-05-01T07:30:00.000Z`.
 *
 * Accepts RFC 3339 and ISO 8601 with any offset, `2024-05-01 09:30:00 +0200`, `… UTC`, the same without a zone (UTC), a
 * date (its midnight), and seconds or milliseconds since 1970 as a number. `field` names the field. Throws
 * InvalidResponseError.
 */
export function readTime(value: unknown, field: string): string {
  // Fast path for the usual format: a list of 100,000 entries has 200,000 times. It excludes days that not every month
  // has, which the slow path checks.
  if (typeof value === 'string' && canonicalTime.test(value)) return value
  const time = new Date(typeof value === 'number' ? fromEpoch(value) : fromText(value))
  const year = time.getUTCFullYear()
  if (year >= 0 && year <= 9999) return time.toISOString()
  throw invalidResponse(`${field} is not a time (${describeValue(value)})`)
}

function fromEpoch(value: number): number {
  return Math.round(Math.abs(value) < minMilliseconds ? value * 1000 : value)
}

/** Returns milliseconds since 1970; NaN for text that is not a time. */
function fromText(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  const [, day = '', clock = '00:00', seconds = ':00', fraction = '', sign, hours = '0', minutes = '0'] =
    anyTime.exec(text.trim()) ?? []
  const midnight = new Date(`${day}T00:00:00.000Z`)
  // Date reads 30 February as 1 March.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return Number.NaN
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  const local = Date.parse(`${day}T${clock}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? local + offsetMs : local - offsetMs
}

/**
 * Returns an amount as a decimal string without an exponent, from a number or text. `field` names the field. Throws
 * InvalidResponseError.
 */
export function readAmount(value: unknown, field: string): string {
  const text = typeof value === 'number' ? String(value) : value
  const parts =
    typeof text === 'string' ? /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(text.trim()) : null
  if (!parts) throw invalidResponse(`${field} is not an amount (${describeValue(value)})`)
  const [, sign = '', whole = '', fraction = '', exponent] = parts
  const minus = sign === '-' ? '-' : ''
  if (exponent === undefined) return fraction ? `${minus}${whole}.${fraction}` : `${minus}${whole}`
  return minus + shiftPoint(whole, fraction, Number(exponent))
}

/** Moves the decimal point `places` to the right. */
function shiftPoint(whole: string, fraction: string, places: number): string {
  const point = whole.length + places
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}`.padEnd(point, '0')
  const at = Math.max(0, point)
  const before = digits.slice(0, at).replace(/^0+(?=\d)/, '') || '0'
  const after = trimEnd(digits.slice(at), '0')
  return after ? `${before}.${after}` : before
}

/** The list of time entries with their times only: the service of this program has it (docs/decisions/entry-times.md). */
export const entryTimesList: CompactList = { mediaType: entryTimesType, read: readEntryTimes }

const firstInstant = Date.parse('0000-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

const isId = (value: unknown) => Number.isSafeInteger(value)
const isInstant = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= firstInstant && value <= lastInstant
const orNull = (isValid: (value: unknown) => boolean) => (value: unknown) => value === null || isValid(value)

const fields: readonly [name: keyof EntryTimes, isValid: (value: unknown) => boolean][] = [
  ['id', isId],
  ['time_start', isInstant],
  ['time_end', orNull(isInstant)],
  ['task_link_id', orNull(isId)],
  ['updated_at', isInstant],
]

/** Returns the times of an entry. Throws InvalidResponseError. */
function readEntryTimes(value: unknown): EntryTimes {
  if (!isObject(value)) throw invalidResponse(`expected times of an entry, received ${describeValue(value)}`)
  for (const [name, isValid] of fields)
    if (!isValid(value[name])) throw invalidResponse(`${name} of an entry is ${describeValue(value[name])}`)
  return value as EntryTimes
}

export const readTimeEntry = decoder(timeEntry)
export const readExpense = decoder(expense)
export const readProject = decoder(project)
export const readClient = decoder(client)
export const readTask = decoder(task)
export const readTaskLink = decoder(taskLink)
export const readAssignment = decoder(assignment)
export const readExpenseType = decoder(expenseType)
const readCompanyWithId = decoder(company)

/** There is only one company, so that a service may omit its ID. */
export function readCompany(value: unknown): RecordOf<typeof company> {
  const record = toRecord(value, company.noun)
  return readCompanyWithId({ ...record, id: record.id ?? readName(record, company.noun) })
}

/** Reads a task link of `most_used_tasks`: the link itself, only its ID, or either with a count. */
export function readUsedTaskLink(value: unknown): RecordOf<typeof taskLink> {
  if (!isObject(value) && !Array.isArray(value)) return readTaskLink({ id: value })
  const record = toRecord(value, taskLink.noun)
  const id = readRelation(record, 'task_link')
  if (id === null) return readTaskLink(record)
  const nested = isObject(record.task_link) ? record.task_link : {}
  return readTaskLink({ ...nested, ...record, id })
}
