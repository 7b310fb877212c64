import { isCurrency } from '../../lib/currencies.js'
import {
  type Field,
  type FieldType,
  type RecordDeclaration,
  type RecordOf,
  timeEntry,
  type WrittenType,
} from '../../records/records.js'
import type { RequestLike } from '../http/request-context.js'
import { type FieldErrors, HttpError } from '../http/response.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import {
  type Decimal,
  formatInstant,
  isDay,
  isStorable,
  parseDecimal,
  parseId,
  parseInstant,
} from './values.js'

/** In UTF-16 code units. */
export const maxTextLength = 64 * 1024
export const maxExternalIdLength = 255
/** The decimal places of stored amounts: `amount_units` is the amount times 10 to this power. */
export const decimalPlaces = 4

interface TypeOfField {
  /** The type of the column in SQL. */
  readonly column: 'text' | 'bigint'
  /** Whether filters compare it as text, and search in it with `_cont`. */
  readonly isText?: true
  /** Reads a value in a request that is not null: returns that of the column, or the problem. */
  readonly read?: (value: unknown) => unknown
  /** Returns the value of JSON for one of the column; without it, both are equal. */
  readonly toJson?: (value: unknown) => unknown
}

/** What the service does with each type of field. The OpenAPI document describes them in `record-schemas.ts`. */
const types = {
  id: { column: 'bigint' },
  reference: {
    column: 'bigint',
    read: (value) => parseId(value) ?? new FieldProblem('must be an ID'),
  },
  name: { column: 'text', isText: true },
  text: { column: 'text', isText: true, read: readText },
  external_id: {
    column: 'text',
    isText: true,
    read: (value) =>
      isExternalId(value)
        ? value
        : new FieldProblem(`must be text of 1 to ${maxExternalIdLength} characters, or null`),
  },
  currency: {
    column: 'text',
    isText: true,
    read: (value) =>
      typeof value === 'string' && isCurrency(value)
        ? value
        : new FieldProblem('must be a currency code of ISO 4217, such as EUR'),
  },
  decimal: { column: 'text', read: readAmount },
  time: {
    column: 'bigint',
    read: (value) =>
      (typeof value === 'string' ? parseInstant(value) : undefined) ??
      new FieldProblem('must be an RFC 3339 time with an offset, such as 2024-05-01T09:30:00+02:00'),
    toJson: (value) => formatInstant(value as number),
  },
  instant: { column: 'bigint' },
  day: {
    column: 'text',
    read: (value) =>
      typeof value === 'string' && isDay(value) ? value : new FieldProblem('must be a date (YYYY-MM-DD)'),
  },
  boolean: { column: 'bigint', toJson: (value) => value === 1 },
  tag: { column: 'bigint', toJson: entityTag },
} as const satisfies {
  readonly [Type in FieldType]: Type extends WrittenType
    ? TypeOfField & Required<Pick<TypeOfField, 'read'>>
    : TypeOfField
}

export const fieldTypes: Readonly<Record<FieldType, TypeOfField>> = types

type TextType = {
  [Type in FieldType]: (typeof types)[Type] extends { isText: true } ? Type : never
}[FieldType]

/** Whether filters compare fields of this type as text. */
export function isTextType(type: FieldType): type is TextType {
  return fieldTypes[type].isText === true
}

/** An invalid value; the message continues the name of its field, such as "must be text". */
export class FieldProblem {
  constructor(readonly message: string) {}
}

/** Whether the value can be an external ID: 1 to 255 characters that every database can store. */
export function isExternalId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxExternalIdLength && isStorable(value)
}

const maxWholeDigits = 12

function readAmount(value: unknown): Decimal | FieldProblem {
  const decimal = parseDecimal(value)
  if (!decimal) return new FieldProblem('must be a decimal number, such as 12.50')
  const { digits, decimals } = decimal
  const limit = 10n ** BigInt(maxWholeDigits + decimals)
  return decimals <= decimalPlaces && digits < limit && -digits < limit
    ? decimal
    : new FieldProblem(
        `must have at most ${maxWholeDigits} digits before and ${decimalPlaces} after the decimal point`,
      )
}

function readText(value: unknown): string | FieldProblem {
  if (typeof value !== 'string') return new FieldProblem('must be text or null')
  if (value.length > maxTextLength)
    return new FieldProblem(`must not be longer than ${maxTextLength} characters`)
  return isStorable(value) ? value : new FieldProblem('must not contain NUL or half a surrogate pair')
}

/** Returns the value of the column of a field, or the problem of an invalid value. */
export function readField({ type, isNullable }: Field, value: unknown): unknown {
  if (value === null && isNullable) return null
  return fieldTypes[type].read?.(value)
}

/**
 * Reads the fields of a request body that users write; others are ignored. Returns their values, and the problems of those
 * that are invalid, or that a new record lacks, if there are any.
 */
export function readFields(
  { fields }: RecordDeclaration,
  body: Readonly<Record<string, unknown>>,
  isNew: boolean,
): { values: Record<string, unknown>; errors?: FieldErrors } {
  const [values, errors]: [Record<string, unknown>, FieldErrors] = [{}, {}]
  for (const [name, field] of Object.entries(fields)) {
    if (!field.write) continue
    const isGiven = Object.hasOwn(body, name)
    if (!isGiven && isNew && field.write === 'required') errors[name] = ['is required']
    if (!isGiven) continue
    const value = readField(field, body[name])
    if (value instanceof FieldProblem) errors[name] = [value.message]
    else values[name] = value
  }
  return Object.keys(errors).length > 0 ? { values, errors } : { values }
}

/** A record as it is stored. */
export type Row = Record<string, unknown>

/** The column of fields of the type `tag`. */
export const versionColumn = 'version'

/** The times of entries as they are stored, which the media type `entryTimesType` has. */
export const entryTimes = {
  ...timeEntry,
  fields: {
    id: timeEntry.fields.id,
    time_start: { type: 'instant' },
    time_end: { type: 'instant', isNullable: true },
    task_link_id: timeEntry.fields.task_link_id,
    updated_at: { type: 'instant' },
  },
} as const satisfies RecordDeclaration

/** Returns the columns of the fields of a record, for `select` and `returning`. */
export function columnsOf(record: RecordDeclaration): Sql {
  const known = columns.get(record)
  if (known) return known
  const created = joinSql(
    Object.entries(record.fields).map(([name, { type }]) =>
      type === 'tag'
        ? sql`${identifier(record.table, versionColumn)} as ${identifier(name)}`
        : identifier(record.table, name),
    ),
  )
  columns.set(record, created)
  return created
}

const columns = new WeakMap<RecordDeclaration, Sql>()

/**
 * Converts rows to JSON records and returns them. Changes the rows themselves, which have exactly the columns of the
 * record: a copy of each would take longer than reading it.
 */
export function toRecords<Declaration extends RecordDeclaration>(
  record: Declaration,
  rows: Row[],
): RecordOf<Declaration>[] {
  for (const [name, { type }] of Object.entries(record.fields)) {
    const { toJson } = fieldTypes[type]
    if (toJson) for (const row of rows) if (row[name] !== null) row[name] = toJson(row[name])
  }
  return rows as RecordOf<Declaration>[]
}

/** Returns the fields of a row as a JSON record. The row may have further columns. */
export function toRecord<Declaration extends RecordDeclaration>(
  record: Declaration,
  row: Row,
): RecordOf<Declaration> {
  const fields = Object.fromEntries(Object.keys(record.fields).map((name) => [name, row[name]]))
  toRecords(record, [fields])
  return fields as RecordOf<Declaration>
}

/**
 * Returns the first version of a new record, or the number by which a change increases the version. It is random
 * (docs/decisions/conditional-requests.md).
 */
export function versionStep(): number {
  return 1 + Math.floor(Math.random() * 1_000_000_000)
}

/** Returns the strong entity tag (RFC 9110 section 8.8.3) of a version, with its quotes. */
function entityTag(version: unknown): string {
  return `"${version}"`
}

/** Returns the version of a tag that `entityTag` has made; undefined for any other text. */
export function versionOfTag(tag: string): number | undefined {
  const [, version] = /^"(\d+)"$/.exec(tag) ?? []
  return parseId(version)
}

const ifMatch = 'If-Match'
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`
const tags = new RegExp(tag, 'g')
const tagList = new RegExp(String.raw`^[ \t,]*(?:${tag}[ \t]*(?:,[ \t,]*|$))*$`)

/**
 * Returns the versions that the header If-Match of a request allows (RFC 9110 section 13.1.1); undefined if it allows all,
 * because it is missing or `*`. A weak tag, a tag of another service and an unreadable header allow none.
 */
export function allowedVersions({ headers }: RequestLike): readonly number[] | undefined {
  const value = headers.get(ifMatch)?.trim()
  if (value === undefined || value === '*') return undefined
  if (!tagList.test(value)) return []
  return (value.match(tags) ?? []).flatMap((text) => versionOfTag(text) ?? [])
}

/** Throws HttpError 412 if the allowed versions do not contain that of the record; `noun` names it in the message. */
export function checkVersion(allowed: readonly number[] | undefined, version: unknown, noun: string): void {
  if (allowed === undefined || allowed.includes(Number(version))) return
  const problem = `does not contain the entity tag of the ${noun}`
  throw new HttpError(412, 'precondition_failed', `${ifMatch} ${problem}.`, { [ifMatch]: [problem] })
}
