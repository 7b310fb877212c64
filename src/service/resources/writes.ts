import { textHash } from '../../lib/text/text-hash.js'
import type { Field, RecordDeclaration, timeEntry } from '../../records/records.js'
import type { RequestContext, RequestLike } from '../http/request-context.js'
import {
  badRequest,
  conflict,
  type HttpResponse,
  invalidFields,
  jsonResponse,
  noContentResponse,
  notFound,
} from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { allOf, identifier, joinSql, rawSql, type Sql, sql } from '../storage/sql.js'
import {
  allowedVersions,
  checkVersion,
  columnsOf,
  fieldTypes,
  isExternalId,
  type Row,
  readFields,
  toRecord,
  versionStep,
} from './fields.js'
import {
  conditionsOf,
  type EntryDay,
  type Expressions,
  type Rule,
  ruleColumns,
  throwIfBroken,
  type Write,
} from './rules.js'
import { parseId } from './values.js'

/** How requests write the records of one kind. Each record belongs to one user. */
export interface WritableResource {
  record: RecordDeclaration & { readonly fields: Pick<typeof timeEntry.fields, 'etag' | 'external_id'> }
  /** Returns the fields in the body of a request. Throws HttpError. */
  readBody(request: RequestLike): Promise<Record<string, unknown>>
  /** Returns the columns of the valid fields. */
  toColumns?(fields: Row): Row
  /** Functions that return the value of a field of a new record, from the given one or null. */
  defaults?: Readonly<Record<string, (value: Sql) => Sql>>
  rules: readonly Rule[]
  /** Returns the day for the rules. `id` is undefined for a new record. */
  dayOf?(columns: Row, context: RequestContext, id?: number): Promise<EntryDay | undefined>
}

/**
 * Responds 201 with the new record, or 200 with the stored one when its Idempotency-Key or external ID is in use. One
 * statement checks the rules and writes.
 *
 * Throws HttpError 409 for the key of a record that has been deleted, and 422 for the key of a request with other fields and
 * for fields that are invalid or break a rule.
 */
export async function create(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { record, rules } = writable
  const { queries, userId } = context
  const { table } = record
  const key = idempotencyKey(context.request.raw)
  const fields = await writable.readBody(context.request.raw)
  const fingerprint = key === undefined ? undefined : fingerprintOf(fields)
  const findStored = async (within: Queries) =>
    (await findByKey(within, writable, userId, { key, fingerprint })) ??
    (await findByExternalId(within, record, userId, fields.external_id))
  // An insert of PostgreSQL that waits for the deletion of its record would not see the spent key of it.
  if (key !== undefined && (await hasKey(queries, table, userId, key))) {
    const stored = await findStored(queries)
    if (stored) return recordResponse(record, stored)
  }
  const { columns, errors } = readColumns(writable, fields, true)
  if (errors) {
    const stored = await findStored(queries)
    if (stored) return recordResponse(record, stored)
    throw invalidFields(errors)
  }
  const next = newExpressions(writable, columns)
  const row: Row = {
    ...next,
    ...(key === undefined ? {} : { idempotency_key: key, idempotency_fingerprint: fingerprint }),
    user_id: userId,
    created_at: presentTime(context),
    updated_at: presentTime(context),
    version: versionStep(),
  }
  const isUnusedKey =
    key === undefined
      ? []
      : [
          sql`not exists (
            select 1 from spent_keys where user_id = ${userId} and records = ${table} and idempotency_key = ${key})`,
        ]
  return repeated(queries, async (within) => {
    const write: Write = { next, day: await writable.dayOf?.(columns, { ...context, queries: within }) }
    const [inserted] = await within.change<Row>(
      [...isUnusedKey, ...conditionsOf(rules, write, context)],
      (where) => sql`
      insert into ${identifier(table)} (${joinSql(Object.keys(row).map((column) => identifier(column)))})
      select ${joinSql(Object.values(row))} where ${where}
      on conflict do nothing returning ${columnsOf(record)}`,
    )
    if (inserted) return recordResponse(record, inserted, 201)
    const stored = await findStored(within)
    if (stored) return recordResponse(record, stored)
    const isUnused = sql`case when ${allOf(...isUnusedKey)} then 1 else 0 end as is_unused`
    const [reason] = await within.all<Row>(
      sql`select ${joinSql([isUnused, ...ruleColumns(rules, write, context)])}`,
    )
    if (reason?.is_unused === 0)
      throw conflict(keyHeader, `belongs to a ${writable.record.noun} that has been deleted`)
    throwIfBroken(rules, reason ?? {})
    return undefined
  })
}

/**
 * Responds 200 with the updated record. One statement checks the rules and writes.
 *
 * Throws HttpError 404, 412 for another version than the allowed ones, 422 for fields that are invalid or break a rule, 409
 * for the external ID of another record; of several, the first.
 */
export async function update(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { record, rules } = writable
  const { queries, userId } = context
  const { table, noun } = record
  const id = parseRecordId(context, writable)
  const fields = await writable.readBody(context.request.raw)
  const allowed = allowedVersions(context.request.raw)
  const { columns, errors } = readColumns(writable, fields, false)
  const stored = storedExpressions(record)
  const next = { ...stored, ...expressionsOf(record, columns) }
  return repeated(queries, async (within) => {
    const dayOf = async () =>
      errors ? undefined : writable.dayOf?.(columns, { ...context, queries: within }, id)
    const write: Write = { next, stored, day: await dayOf() }
    const own = [sql`id = ${id}`, sql`user_id = ${userId}`]
    if (!errors) {
      const rulesOfWrite = [...conditionsOf(rules, write, context), ...hasNoOther(write, context, table, id)]
      const [updated] = await within
        .change<Row>(
          [...own, ...isVersion(allowed), ...rulesOfWrite],
          (where) => sql`
        update ${identifier(table)} set ${joinSql(assignmentsOf(columns, context))}
        where ${where}
        returning ${columnsOf(record)}`,
        )
        .catch((error: unknown) => {
          throw isDuplicate(error) ? conflict('external_id', `belongs to another ${noun}`) : error
        })
      if (updated) return recordResponse(record, updated)
    }
    const [found] = await within.all<Row>(sql`
      select ${joinSql([columnsOf(record), ...(errors ? [] : ruleColumns(rules, write, context))])}
      from ${identifier(table)} where ${allOf(...own)}`)
    if (!found) throw notFoundError(writable, id)
    checkVersion(allowed, found.etag, noun)
    if (errors) throw invalidFields(errors)
    // Another request may have moved the record to another day, for which the rules were not checked.
    if (write.day && write.day.name !== (await dayOf())?.name) return undefined
    throwIfBroken(rules, found)
    const other = await findByExternalId(within, record, userId, columns.external_id)
    if (other && other.id !== id) throw conflict('external_id', `belongs to ${noun} ${other.id}`)
    return undefined
  })
}

/**
 * Makes a write, and repeats it in a transaction if it has no effect for no reason that can be found afterwards, such as
 * because another request has changed the record in between.
 */
async function repeated(
  queries: Queries,
  write: (queries: Queries) => Promise<HttpResponse | undefined>,
): Promise<HttpResponse> {
  for (let repetition = 0; repetition <= maxRepetitions; repetition++) {
    const response = await (repetition === 0 ? write(queries) : queries.transaction(write))
    if (response) return response
  }
  throw conflict('id', 'was changed by other requests at the same time; send the request again')
}

const maxRepetitions = 3

/** Returns the columns of the fields in a request, or the problems of those that are invalid. */
function readColumns({ record, toColumns }: WritableResource, fields: Row, isNew: boolean) {
  const { values, errors } = readFields(record, fields, isNew)
  return { columns: errors || !toColumns ? values : toColumns(values), errors }
}

/** Returns the fields of a new record that users write; null for those that are not given and have no default. */
function newExpressions({ record, defaults = {} }: WritableResource, columns: Row): Expressions {
  const empty = Object.entries<Field>(record.fields).flatMap(([name, { write }]) =>
    write ? [[name, null]] : [],
  )
  const given = expressionsOf(record, { ...Object.fromEntries(empty), ...columns })
  const completed = Object.entries(given).map(([name, value]) => [name, defaults[name]?.(value) ?? value])
  return Object.fromEntries(completed)
}

/** Returns the values as expressions with the types of their columns, which PostgreSQL cannot find everywhere. */
function expressionsOf({ fields }: RecordDeclaration, columns: Row): Expressions {
  const typed = Object.entries(columns).map(([name, value]) => {
    const { column } = fieldTypes[fields[name]?.type ?? 'id']
    return [name, sql`cast(${value} as ${rawSql(column)})`]
  })
  return Object.fromEntries(typed)
}

function storedExpressions({ table, fields }: RecordDeclaration): Expressions {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, identifier(table, name)]))
}

/** Returns the condition that a record has one of the allowed versions. */
function isVersion(allowed: readonly number[] | undefined): Sql[] {
  if (!allowed) return []
  return [allowed.length > 0 ? sql`version in (${joinSql(allowed)})` : sql`1 = 0`]
}

/** Returns the condition that the user has no other record with the new external ID. */
function hasNoOther(write: Write, { userId }: RequestContext, table: string, id: number): Sql[] {
  const externalId = write.next.external_id
  if (!externalId || externalId === write.stored?.external_id) return []
  return [
    sql`not exists (
      select 1 from ${identifier(table)} as other
      where other.user_id = ${userId} and other.external_id = ${externalId} and other.id <> ${id})`,
  ]
}

/** Whether another request of PostgreSQL has stored the external ID since the check. */
function isDuplicate(error: unknown): boolean {
  const uniqueViolation = '23505'
  return error instanceof Error && 'code' in error && error.code === uniqueViolation
}

/** Returns the present time in epoch milliseconds: that of the database server, whose clock is the same for all nodes. */
function presentTime({ queries, now }: RequestContext): number | Sql {
  if (queries.dialect === 'sqlite') return now.getTime()
  return sql`floor(extract(epoch from statement_timestamp()) * 1000)::bigint`
}

/**
 * Returns the assignments of a change. Clients recognize it by its time, even when the clock was set back. Triggers assign
 * the next version where a statement does not, but `returning` of SQLite shows no effects of triggers.
 */
function assignmentsOf(columns: Row, context: RequestContext): Sql[] {
  const latest = context.queries.dialect === 'sqlite' ? sql`max` : sql`greatest`
  return [
    ...Object.entries(columns).map(([column, value]) => sql`${identifier(column)} = ${value}`),
    sql`updated_at = ${latest}(${presentTime(context)}, updated_at + 1)`,
    sql`version = version + ${versionStep()}`,
  ]
}

/**
 * Deletes the record and responds 204. Throws HttpError 404, 412 for another version than the allowed ones, and 422 in the
 * closed period.
 */
export async function remove(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { record } = writable
  const id = parseRecordId(context, writable)
  const { queries, userId } = context
  const table = identifier(record.table)
  const allowed = allowedVersions(context.request.raw)
  const rules = writable.rules.filter((rule) => rule.appliesToDeletion)
  const write = { next: storedExpressions(record) }
  const own = [sql`id = ${id}`, sql`user_id = ${userId}`]
  await queries.transaction(async (transaction) => {
    const [removed] = await transaction.all<Row>(sql`
      delete from ${table} where ${allOf(...own, ...isVersion(allowed), ...conditionsOf(rules, write, context))}
      returning idempotency_key`)
    if (!removed) {
      const [found] = await transaction.all<Row>(
        sql`select ${joinSql([columnsOf(record), ...ruleColumns(rules, write, context)])} from ${table} where ${allOf(...own)}`,
      )
      if (!found) throw notFoundError(writable, id)
      checkVersion(allowed, found.etag, record.noun)
      throwIfBroken(rules, found)
      throw conflict('id', 'was changed by other requests at the same time; send the request again')
    }
    const { idempotency_key: key } = removed
    if (key !== null)
      await transaction.all(sql`
        insert into spent_keys (user_id, records, idempotency_key) values (${userId}, ${record.table}, ${key})`)
  })
  return noContentResponse()
}

/** Responds with the record of the path in a one-element array (service-api-v1.md section 4). Throws HttpError 404. */
export async function show(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const id = parseRecordId(context, writable)
  const row = await findOne(context.queries, writable.record, context.userId, sql`id = ${id}`)
  if (!row) throw notFoundError(writable, id)
  return recordArrayResponse(writable.record, row)
}

/** Responds with one record, and with its entity tag in the header. */
function recordResponse(declaration: RecordDeclaration, row: Row, status = 200): HttpResponse {
  const record = toRecord(declaration, row)
  return jsonResponse(record, status, { ETag: String(record.etag) })
}

/** Responds like `recordResponse` with the record in a one-element array. */
export function recordArrayResponse(declaration: RecordDeclaration, row: Row): HttpResponse {
  const record = toRecord(declaration, row)
  return jsonResponse([record], 200, { ETag: String(record.etag) })
}

/** Returns the user's record with that external ID; undefined when there is none or the ID is invalid. */
export async function findByExternalId(
  queries: Queries,
  record: RecordDeclaration,
  userId: number,
  externalId: unknown,
): Promise<Row | undefined> {
  if (!isExternalId(externalId)) return undefined
  return findOne(queries, record, userId, sql`external_id = ${externalId}`)
}

const keyHeader = 'Idempotency-Key'

/**
 * Returns the key of a create (draft-ietf-httpapi-idempotency-key-header) unchanged, with or without quotes. Throws
 * HttpError 400 for an invalid key; two headers arrive as one with a space, which is invalid too.
 */
function idempotencyKey({ headers }: RequestLike): string | undefined {
  const key = headers.get(keyHeader)
  if (key === null) return undefined
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw badRequest(`The header ${keyHeader} must have 1 to 255 visible ASCII characters.`)
}

/**
 * Returns a short text that is the same for equal fields in any order. Nested values are all alike: no field accepts
 * them.
 */
function fingerprintOf(fields: Record<string, unknown>): string {
  const values = Object.keys(fields)
    .sort()
    .map((name) => [name, Object(fields[name]) === fields[name] ? {} : fields[name]])
  return textHash(JSON.stringify(values))
}

/** Whether the user has a record with that key. */
async function hasKey(queries: Queries, table: string, userId: number, key: string): Promise<boolean> {
  const [found] = await queries.read<{ id: number | null }>(
    [],
    (where) => sql`
    select (select id from ${identifier(table)} where user_id = ${userId} and idempotency_key = ${key}) as id
    where ${where}`,
  )
  return found !== undefined && found.id !== null
}

/** Returns the user's record with that key. Throws HttpError 422 if the request that created it had other fields. */
async function findByKey(
  queries: Queries,
  { record }: WritableResource,
  userId: number,
  { key, fingerprint }: { key: string | undefined; fingerprint: string | undefined },
): Promise<Row | undefined> {
  if (key === undefined) return undefined
  const [row] = await queries.all<Row>(sql`
    select ${columnsOf(record)}, idempotency_fingerprint from ${identifier(record.table)}
    where user_id = ${userId} and idempotency_key = ${key}`)
  const stored = row?.idempotency_fingerprint ?? fingerprint
  if (stored === fingerprint) return row
  throw invalidFields({
    [keyHeader]: [`belongs to the create request of a ${record.noun} with other fields`],
  })
}

/** Returns the user's record that fulfils a condition. */
async function findOne(
  queries: Queries,
  record: RecordDeclaration,
  userId: number,
  condition: Sql,
): Promise<Row | undefined> {
  const [row] = await queries.read<Row>(
    [condition, sql`user_id = ${userId}`],
    (where) => sql`select ${columnsOf(record)} from ${identifier(record.table)} where ${where}`,
  )
  return row
}

function parseRecordId({ request }: RequestContext, writable: WritableResource): number {
  const text = request.id ?? ''
  const id = parseId(text)
  if (id === undefined) throw notFoundError(writable, text)
  return id
}

const notFoundError = ({ record: { noun } }: WritableResource, id: number | string) =>
  notFound(`You have no ${noun} ${id}.`)
