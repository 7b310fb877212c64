import { textHash } from '../../lib/text/text-hash.js'
import { badRequest, conflict, invalidFields, notFound } from '../http/http-error.js'
import type { RequestContext, RequestLike } from '../http/request-context.js'
import { type HttpResponse, jsonResponse, noContentResponse } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { allowedVersions, checkVersion, entityTag, versionStep } from './entity-tags.js'
import { isExternalId } from './field-validation.js'
import { type Resource, type Row, toWire } from './resources.js'
import { parseId } from './values.js'
import type { Viewer } from './visibility.js'

/** How requests write the records of one kind. Each record belongs to one user. */
export interface WritableResource {
  /** The name of such a record in messages. */
  noun: string
  resource: Resource<unknown>
  /** The field by which a record is in the closed period, and the condition for a value, or a column, that is not. */
  period: { field: string; isOpen(time: unknown): Sql }
  /** Returns the fields in the body of a request. Throws HttpError. */
  readFields(request: RequestLike): Promise<Record<string, unknown>>
  /**
   * Validates the fields and returns their columns. `stored` is the record before the change, undefined for a new one.
   * Reads the database only for references to other records. Throws HttpError 422.
   */
  toColumns(fields: Record<string, unknown>, stored: Row | undefined, viewer: Viewer): Promise<Row>
  /**
   * Returns the columns of an update and the conditions for the stored record under which `toColumns` accepts them;
   * undefined if conditions cannot express that. The conditions may reject more.
   */
  toConditionalColumns?(
    fields: Record<string, unknown>,
    viewer: Viewer,
  ): { columns: Row; conditions: Sql[] } | undefined
  /** The same for a new record; its conditions are those for references to other records. */
  toNewColumns?(
    fields: Record<string, unknown>,
    viewer: Viewer,
  ): { columns: Row; conditions: Sql[] } | undefined
}

/**
 * Responds 201 with the new record, or 200 with the stored one when its Idempotency-Key or external ID is in use.
 * Throws HttpError 409 for the key of a record that has been deleted, and 422 for the key of a request with other fields
 * and in the closed period.
 */
export async function create(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { resource, period } = writable
  const { queries } = context
  const key = idempotencyKey(context.request.raw)
  const fields = await writable.readFields(context.request.raw)
  const fingerprint = key === undefined ? undefined : fingerprintOf(fields)
  const findStored = async () =>
    (await findByKey(queries, writable, context.userId, { key, fingerprint })) ??
    (await findByExternalId(queries, resource, context.userId, fields.external_id))
  const stored = await findStored()
  if (stored) return recordResponse(resource, stored)
  if (await isUsedKey(queries, resource, context.userId, key))
    throw conflict(keyHeader, `belongs to a ${writable.noun} that has been deleted`)
  const insert = async (within: Queries, columns: Row, conditions: Sql[]) => {
    const row = {
      ...columns,
      ...(key === undefined ? {} : { idempotency_key: key, idempotency_fingerprint: fingerprint }),
      user_id: context.userId,
      created_at: presentTime(context),
      updated_at: presentTime(context),
      version: versionStep(),
    }
    const names = Object.keys(row).map((column) => identifier(column))
    const [inserted] = await within.all<Row>(
      sql`
      insert into ${identifier(resource.table)} (${joinSql(names)})
      select ${joinSql(Object.values(row))}
      where ${joinSql([period.isOpen(columns[period.field]), ...conditions], ' and ')}
      on conflict do nothing returning ${resource.columns}`,
      'change',
    )
    return inserted
  }
  // Checks and inserts in one statement where that is possible; otherwise the checks word the error.
  const atOnce = context.lists ? writable.toNewColumns?.(fields, context) : undefined
  const inserted =
    (atOnce && (await insert(queries, atOnce.columns, [...atOnce.conditions, ...conditionsOf(queries)]))) ??
    (await queries.transaction(async (transaction) => {
      const columns = await writable.toColumns(fields, undefined, { ...context, queries: transaction })
      const row = await insert(transaction, columns, [])
      if (!row) await throwIfClosed(transaction, writable, [columns])
      return row
    }))
  if (inserted) return recordResponse(resource, inserted, 201)
  // Another request has stored the same key or external ID since the check.
  const concurrent = await findStored()
  if (concurrent) return recordResponse(resource, concurrent)
  const duplicate = key === undefined ? 'external_id' : keyHeader
  throw conflict(duplicate, 'was in use a moment ago; send the request again')
}

/**
 * Responds 200 with the updated record. Throws HttpError 404, 412 for another version than the allowed ones, 409 for the
 * external ID of another record, 422; of several, the first.
 */
export async function update(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { resource } = writable
  const { queries, userId } = context
  const id = parseRecordId(context, writable)
  const fields = await writable.readFields(context.request.raw)
  const allowed = allowedVersions(context.request.raw)
  const updatedAtOnce = await updateAtOnce(context, writable, { id, fields, allowed })
  if (updatedAtOnce) return recordResponse(resource, updatedAtOnce)
  const updating = queries.transaction(async (transaction) => {
    const stored = await findLocked(transaction, resource, userId, id)
    if (!stored) throw notFoundError(writable, id)
    checkVersion(allowed, stored.etag, writable.noun)
    const columns = await writable.toColumns(fields, stored, { ...context, queries: transaction })
    const other = await findByExternalId(transaction, resource, userId, columns.external_id)
    if (other && other.id !== id) throw conflict('external_id', `belongs to ${writable.noun} ${other.id}`)
    const assignments = assignmentsOf(columns, context)
    const [updated] = await transaction.all<Row>(sql`
      update ${identifier(resource.table)} set ${joinSql(assignments)}
      where ${joinSql([sql`id = ${id}`, ...staysOpen(writable, columns)], ' and ')}
      returning ${resource.columns}`)
    if (!updated) await throwIfClosed(transaction, writable, [stored, columns])
    return recordResponse(resource, updated ?? stored)
  })
  return updating.catch((error: unknown) => {
    const uniqueViolation = '23505' // PostgreSQL: another request has stored the external ID since the check.
    const isDuplicate = error instanceof Error && 'code' in error && error.code === uniqueViolation
    throw isDuplicate ? conflict('external_id', `belongs to another ${writable.noun}`) : error
  })
}

/**
 * Checks and updates a record in one statement, and returns it; undefined where that is not possible, or when the record
 * does not fulfil the conditions. In this process, updates are transactions: their commit reports whether a failed disk
 * has saved them.
 */
async function updateAtOnce(
  context: RequestContext,
  writable: WritableResource,
  { id, fields, allowed }: Update,
): Promise<Row | undefined> {
  if (!context.lists || (allowed && allowed.length !== 1)) return undefined
  const { resource } = writable
  const change = writable.toConditionalColumns?.(fields, context)
  if (!change) return undefined
  const { queries, userId } = context
  const assignments = assignmentsOf(change.columns, context)
  const where = [
    sql`id = ${id} and user_id = ${userId}`,
    ...(allowed ?? []).map((version) => sql`version = ${version}`),
    ...staysOpen(writable, change.columns),
    ...change.conditions,
    ...conditionsOf(queries),
  ]
  const [row] = await queries.all<Row>(
    sql`
    update ${identifier(resource.table)} set ${joinSql(assignments)} where ${joinSql(where, ' and ')}
    returning ${resource.columns}`,
    'change',
  )
  return row
}

interface Update {
  id: number
  fields: Record<string, unknown>
  /** See `allowedVersions`. */
  allowed: readonly number[] | undefined
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

const conditionsOf = ({ changeConditions = [] }: Queries) => changeConditions

/** Returns the conditions that neither the stored record nor its new columns are in the closed period. */
function staysOpen({ resource, period: { field, isOpen } }: WritableResource, columns: Row): Sql[] {
  const stored = isOpen(identifier(resource.table, field))
  return columns[field] === undefined ? [stored] : [stored, isOpen(columns[field])]
}

/** Throws HttpError 422 if one of the records is in the closed period. */
async function throwIfClosed(
  queries: Queries,
  { period: { field, isOpen } }: WritableResource,
  records: readonly Row[],
): Promise<void> {
  for (const { [field]: time } of records.filter((record) => record[field] !== undefined)) {
    const [closed] = await queries.all<{ closed_until: string }>(
      sql`select closed_until from company where not (${isOpen(time)})`,
    )
    if (closed) throw invalidFields({ [field]: [`is in the closed period, up to ${closed.closed_until}`] })
  }
}

/**
 * Deletes the record and responds 204. Throws HttpError 404, 412 for another version than the allowed ones, and 422 in the
 * closed period.
 */
export async function remove(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const id = parseRecordId(context, writable)
  const { queries, userId } = context
  const { table } = writable.resource
  const allowed = allowedVersions(context.request.raw)
  const [removed] = await queries.transaction(async (transaction) => {
    if (allowed) {
      const stored = await findLocked(transaction, writable.resource, userId, id)
      if (stored) checkVersion(allowed, stored.etag, writable.noun)
    }
    const rows = await transaction.all<Row>(sql`
      delete from ${identifier(table)} where id = ${id} and user_id = ${userId} and ${joinSql(staysOpen(writable, {}))}
      returning idempotency_key`)
    const stored = rows.length === 0 && (await findById(transaction, writable.resource, userId, id, false))
    if (stored) await throwIfClosed(transaction, writable, [stored])
    for (const { idempotency_key: key } of rows) {
      if (key !== null)
        await transaction.all(sql`
          insert into spent_keys (user_id, records, idempotency_key) values (${userId}, ${table}, ${key})`)
    }
    return rows
  })
  if (!removed) throw notFoundError(writable, id)
  return noContentResponse()
}

/** Responds with the record of the path in a one-element array (service-api-v1.md section 4). Throws HttpError 404. */
export async function show(context: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const id = parseRecordId(context, writable)
  const row = await findById(context.queries, writable.resource, context.userId, id, false)
  if (!row) throw notFoundError(writable, id)
  return recordArrayResponse(writable.resource, row)
}

/** Responds with one record, and with its entity tag in the header. */
function recordResponse(resource: Resource<unknown>, row: Row, status = 200): HttpResponse {
  return jsonResponse(toWire(resource, row) as object, status, { ETag: entityTag(row.etag) })
}

/** Responds like `recordResponse` with the record in a one-element array. */
export function recordArrayResponse(resource: Resource<unknown>, row: Row): HttpResponse {
  return jsonResponse([toWire(resource, row)], 200, { ETag: entityTag(row.etag) })
}

/** Returns the user's record with that external ID; undefined when there is none or the ID is invalid. */
export async function findByExternalId(
  queries: Queries,
  resource: Resource<unknown>,
  userId: number,
  externalId: unknown,
): Promise<Row | undefined> {
  if (!isExternalId(externalId)) return undefined
  const [row] = await queries.all<Row>(
    sql`
    select ${resource.columns} from ${identifier(resource.table)}
    where user_id = ${userId} and external_id = ${externalId}`,
    'row',
  )
  return row
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

/** Returns the user's record with that key. Throws HttpError 422 if the request that created it had other fields. */
async function findByKey(
  queries: Queries,
  { resource, noun }: WritableResource,
  userId: number,
  { key, fingerprint }: { key: string | undefined; fingerprint: string | undefined },
): Promise<Row | undefined> {
  if (key === undefined) return undefined
  const [row] = await queries.all<Row>(
    sql`
    select ${resource.columns}, idempotency_fingerprint from ${identifier(resource.table)}
    where user_id = ${userId} and idempotency_key = ${key}`,
    'row',
  )
  const stored = row?.idempotency_fingerprint ?? fingerprint
  if (stored === fingerprint) return row
  throw invalidFields({ [keyHeader]: [`belongs to the create request of a ${noun} with other fields`] })
}

async function isUsedKey(
  queries: Queries,
  { table }: Resource<unknown>,
  userId: number,
  key: string | undefined,
): Promise<boolean> {
  if (key === undefined) return false
  const rows = await queries.all(sql`
    select 1 from spent_keys where user_id = ${userId} and records = ${table} and idempotency_key = ${key}`)
  return rows.length > 0
}

/** Finds a record that no other transaction can change before the end of this one. */
function findLocked(
  queries: Queries,
  resource: Resource<unknown>,
  userId: number,
  id: number,
): Promise<Row | undefined> {
  return findById(queries, resource, userId, id, queries.dialect === 'postgres')
}

async function findById(
  queries: Queries,
  resource: Resource<unknown>,
  userId: number,
  id: number,
  shouldLock: boolean,
): Promise<Row | undefined> {
  const [row] = await queries.all<Row>(
    sql`
    select ${resource.columns} from ${identifier(resource.table)}
    where id = ${id} and user_id = ${userId}${shouldLock ? sql` for update` : sql``}`,
    'row',
  )
  return row
}

function parseRecordId({ request }: RequestContext, writable: WritableResource): number {
  const text = request.id ?? ''
  const id = parseId(text)
  if (id === undefined) throw notFoundError(writable, text)
  return id
}

const notFoundError = ({ noun }: WritableResource, id: number | string) =>
  notFound(`You have no ${noun} ${id}.`)
