import { type Condition, parseConditions } from '../resources/ransack.js'
import { type Resource, type Row, toWire } from '../resources/resources.js'
import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { completeListHeaders, linkHeader, type Paging, parsePaging } from './paging.js'
import type { RequestContext } from './request-context.js'
import { type HttpResponse, jsonResponse } from './response.js'

/** Lists of fewer records are sent at once, without streaming. */
const firstBatch = 500
const laterBatch = 2000

/**
 * Returns the records that match `conditions` and the `q` of the request, as a JSON array with one record per line, in
 * the order of the resource: one page with `per_page`, otherwise all.
 *
 * A list of more than one batch streams. Each further batch starts after the last record sent and is read when the
 * client has received the batch before it. So a slow client blocks neither memory nor the database, and records that
 * are created or deleted during the transfer cause no duplicates or gaps.
 */
export async function respondWithList(
  context: RequestContext,
  resource: Resource<unknown>,
  conditions: Condition[],
): Promise<HttpResponse> {
  const { request, queries } = context
  const where = [...conditions, ...(await parseConditions(request.query('q'), resource, queries))]
  const paging = parsePaging(request)
  if (paging) return respondWithPage(context, resource, where, paging)
  const rows = await selectRows(queries, resource, where, { limit: firstBatch })
  const body =
    rows.length < firstBatch ? `[${toLines(resource, rows)}]` : streamRecords(context, resource, where, rows)
  return jsonResponse(body, 200, completeListHeaders(request.url))
}

async function respondWithPage(
  { request, queries }: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  paging: Paging,
): Promise<HttpResponse> {
  const [counted] = await queries.all<{ total: number }>(
    sql`select count(*) as total from ${identifier(resource.table)}${whereClause(where)}`,
  )
  const total = counted?.total ?? 0
  const offset = (paging.page - 1) * paging.perPage
  const rows =
    offset < total ? await selectRows(queries, resource, where, { limit: paging.perPage, offset }) : []
  return jsonResponse(`[${toLines(resource, rows)}]`, 200, {
    'X-Total-Count': String(total),
    Link: linkHeader(request.url, paging, total),
  })
}

async function* streamRecords(
  context: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  first: Row[],
): AsyncGenerator<string> {
  try {
    let opening = '['
    for (let rows = first; rows.length > 0; rows = await selectNextRows(context, resource, where, rows)) {
      yield `${opening}${toLines(resource, rows)}`
      opening = ',\n'
    }
    yield ']'
  } catch (error) {
    context.onError(error)
    throw error
  }
}

function selectNextRows(
  { queries }: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  rows: Row[],
): Promise<Row[]> {
  const last = rows.at(-1)
  // SQLite seeks by the first of several lower bounds. With another one first, each batch would reread earlier rows.
  const conditions = last ? [after(resource, last), ...where] : where
  return selectRows(queries, resource, conditions, { limit: laterBatch })
}

function selectRows(
  queries: Queries,
  resource: Resource<unknown>,
  where: Condition[],
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<Row[]> {
  return queries.all(sql`
    select ${resource.columns} from ${identifier(resource.table)}${whereClause(where)}
    order by ${orderOf(resource)} limit ${limit} offset ${offset}`)
}

function whereClause(conditions: Condition[]): Sql {
  return conditions.length === 0 ? sql`` : sql` where ${joinSql(conditions, sql` and `)}`
}

function orderOf({ table, order }: Resource<unknown>): Sql {
  return joinSql(order.map((column) => identifier(table, column)))
}

/** Returns the condition for all records after `row` in the order of the resource. */
function after(resource: Resource<unknown>, row: Row): Condition {
  return sql`(${orderOf(resource)}) > (${joinSql(resource.order.map((column) => row[column]))})`
}

/** Returns one record per line, so that a client can parse the list line by line while it arrives. */
function toLines(resource: Resource<unknown>, rows: Row[]): string {
  return rows.map((row) => JSON.stringify(toWire(resource, row))).join(',\n')
}
