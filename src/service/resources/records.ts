import { badRequest, conflict, notFound } from '../http/errors.js'
import type { RequestContext, RequestLike } from '../http/request-context.js'
import { type HttpResponse, jsonResponse, noContentResponse } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, sql } from '../storage/sql.js'
import { isExternalId } from './fields.js'
import { type Resource, type Row, toWire } from './resources.js'
import { parseId } from './values.js'

/** How the records of one kind, each its owner's alone, are written. */
export interface WritableResource {
  /** What one is called in messages. */
  noun: string
  resource: Resource<unknown>
  /** The fields of the body, as sent. Throws HttpError. */
  readFields(request: RequestLike): Promise<Record<string, unknown>>
  /**
   * The columns that the fields set in a record that is stored as `stored` (undefined when it is new).
   * Reads the database only for what the fields refer to. Throws HttpError 422.
   */
  toColumns(fields: Record<string, unknown>, stored: Row | undefined, queries: Queries): Promise<Row>
}

/**
 * 201 with the new record; 200 with the stored one where the Idempotency-Key or the external id is in use: repeating
 * changes nothing. 409 where the key was that of a record that has been deleted since.
 */
export async function create(call: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { resource } = writable
  const { queries } = call
  const key = idempotencyKey(call.request.raw)
  const fields = await writable.readFields(call.request.raw)
  const findStored = async () =>
    (await findByKey(queries, resource, call.userId, key)) ??
    (await findByExternalId(queries, resource, call.userId, fields.external_id))
  const stored = await findStored()
  if (stored) return jsonResponse(toWire(resource, stored) as object)
  if (await isSpent(queries, resource, call.userId, key))
    throw conflict(keyHeader, `is that of a ${writable.noun} that has been deleted`)
  const columns = await writable.toColumns(fields, undefined, queries)
  const row = {
    ...columns,
    ...(key === undefined ? {} : { idempotency_key: key }),
    user_id: call.userId,
    created_at: call.now.getTime(),
    updated_at: call.now.getTime(),
  }
  const names = Object.keys(row).map((column) => identifier(column))
  const [inserted] = await queries.all<Row>(sql`
    insert into ${identifier(resource.table)} (${joinSql(names)}) values (${joinSql(Object.values(row))})
    on conflict do nothing returning ${resource.columns}`)
  if (inserted) return jsonResponse(toWire(resource, inserted) as object, 201)
  // The same key or external id was stored between the look and the insert.
  const first = await findStored()
  if (first) return jsonResponse(toWire(resource, first) as object)
  const taken = key === undefined ? 'external_id' : keyHeader
  throw conflict(taken, 'was in use a moment ago; send the request again')
}

/** 200 with the updated record; 404, 409 where the external id is another record's, 422. */
export async function update(call: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const { resource } = writable
  const { queries, userId } = call
  const id = idOf(call, writable)
  const fields = await writable.readFields(call.request.raw)
  const updating = queries.transaction(async (transaction) => {
    const locked = queries.dialect === 'postgres'
    const stored = await findById(transaction, resource, userId, id, locked)
    if (!stored) throw missing(writable, id)
    const columns = await writable.toColumns(fields, stored, transaction)
    const other = await findByExternalId(transaction, resource, userId, columns.external_id)
    if (other && other.id !== id) throw conflict('external_id', `is that of ${writable.noun} ${other.id}`)
    const row = { ...columns, updated_at: call.now.getTime() }
    const assignments = Object.entries(row).map(([column, value]) => sql`${identifier(column)} = ${value}`)
    const [updated] = await transaction.all<Row>(sql`
      update ${identifier(resource.table)} set ${joinSql(assignments)} where id = ${id}
      returning ${resource.columns}`)
    return jsonResponse(toWire(resource, updated ?? stored) as object)
  })
  return updating.catch((error: unknown) => {
    const uniqueViolation = '23505' // PostgreSQL: another request took the external id after the look.
    const taken = error instanceof Error && 'code' in error && error.code === uniqueViolation
    throw taken ? conflict('external_id', `is that of another ${writable.noun}`) : error
  })
}

/** 204, or 404. */
export async function remove(call: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const id = idOf(call, writable)
  const { queries, userId } = call
  const { table } = writable.resource
  const [removed] = await queries.transaction(async (transaction) => {
    const rows = await transaction.all<Row>(sql`
      delete from ${identifier(table)} where id = ${id} and user_id = ${userId} returning idempotency_key`)
    for (const { idempotency_key: key } of rows) {
      if (key !== null)
        await transaction.all(sql`
          insert into spent_keys (user_id, records, idempotency_key) values (${userId}, ${table}, ${key})`)
    }
    return rows
  })
  if (!removed) throw missing(writable, id)
  return noContentResponse()
}

/** The record that the path names, in the one-element array of service-api-v1.md section 4; 404. */
export async function show(call: RequestContext, writable: WritableResource): Promise<HttpResponse> {
  const id = idOf(call, writable)
  const row = await findById(call.queries, writable.resource, call.userId, id, false)
  if (!row) throw missing(writable, id)
  return jsonResponse([toWire(writable.resource, row)])
}

/** The user's record with that external id, which is none unless it is text. */
export async function findByExternalId(
  queries: Queries,
  resource: Resource<unknown>,
  userId: number,
  externalId: unknown,
): Promise<Row | undefined> {
  if (!isExternalId(externalId)) return undefined
  const [row] = await queries.all<Row>(sql`
    select ${resource.columns} from ${identifier(resource.table)}
    where user_id = ${userId} and external_id = ${externalId}`)
  return row
}

const keyHeader = 'Idempotency-Key'

/**
 * The key of a create (draft-ietf-httpapi-idempotency-key-header), taken as it comes, whether quoted or bare. Throws
 * HttpError 400 where it can be none; a header that is sent twice arrives with a space in it, and is none either.
 */
function idempotencyKey({ headers }: RequestLike): string | undefined {
  const key = headers.get(keyHeader)
  if (key === null) return undefined
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw badRequest(`The header ${keyHeader} must have 1 to 255 visible ASCII characters.`)
}

async function findByKey(
  queries: Queries,
  resource: Resource<unknown>,
  userId: number,
  key: string | undefined,
): Promise<Row | undefined> {
  if (key === undefined) return undefined
  const [row] = await queries.all<Row>(sql`
    select ${resource.columns} from ${identifier(resource.table)}
    where user_id = ${userId} and idempotency_key = ${key}`)
  return row
}

async function isSpent(
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

async function findById(
  queries: Queries,
  resource: Resource<unknown>,
  userId: number,
  id: number,
  locked: boolean,
): Promise<Row | undefined> {
  const [row] = await queries.all<Row>(sql`
    select ${resource.columns} from ${identifier(resource.table)}
    where id = ${id} and user_id = ${userId}${locked ? sql` for update` : sql``}`)
  return row
}

function idOf({ request }: RequestContext, writable: WritableResource): number {
  const text = request.id ?? ''
  const id = parseId(text)
  if (id === undefined) throw missing(writable, text)
  return id
}

const missing = ({ noun }: WritableResource, id: number | string) =>
  notFound(`There is no ${noun} ${id} of yours.`)
