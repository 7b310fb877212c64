import { type Condition, parseConditions } from '../resources/ransack.js'
import { type Resource, type Row, toWire } from '../resources/resources.js'
import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { completeListHeaders, linkHeader, type Paging, parsePaging } from './paging.js'
import type { RequestContext } from './request-context.js'
import { type HttpResponse, jsonResponse } from './response.js'

/** What fits here is answered at once; most lists do. */
const firstBatch = 500
const laterBatch = 2000

/**
 * Answers the records that meet `conditions` and the `q` of the request, as a JSON array with one record a line.
 *
 * Everything, in the order of the resource, unless `per_page` is given. What exceeds one batch streams: each
 * further batch is read when the client has taken the one before, starting after the last record sent, so that
 * a slow client holds neither memory nor the database, and records that come or go meanwhile shift nothing.
 */
export async function respondWithList(
  call: RequestContext,
  resource: Resource<unknown>,
  conditions: Condition[],
): Promise<HttpResponse> {
  const { request, queries } = call
  const where = [...conditions, ...(await parseConditions(request.query('q'), resource, queries))]
  const paging = parsePaging(request)
  if (paging) return answerPage(call, resource, where, paging)
  const rows = await selectRows(queries, resource, where, { limit: firstBatch })
  const body =
    rows.length < firstBatch ? `[${toLines(resource, rows)}]` : streamFrom(call, resource, where, rows)
  return jsonResponse(body, 200, completeListHeaders(request.url))
}

async function answerPage(
  { request, queries }: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  paging: Paging,
): Promise<HttpResponse> {
  const [counted] = await queries.all<{ total: number }>(
    sql`select count(*) as total from ${identifier(resource.table)}${whereAll(where)}`,
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

async function* streamFrom(
  call: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  first: Row[],
): AsyncGenerator<string> {
  try {
    let opening = '['
    for (let rows = first; rows.length > 0; rows = await rowsAfter(call, resource, where, rows)) {
      yield `${opening}${toLines(resource, rows)}`
      opening = ',\n'
    }
    yield ']'
  } catch (error) {
    call.onError(error)
    throw error
  }
}

function rowsAfter(
  { queries }: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  rows: Row[],
): Promise<Row[]> {
  const last = rows.at(-1)
  // Of several lower bounds SQLite seeks by the one that stands first: by another, each batch would read those before it.
  const further = last ? [after(resource, last), ...where] : where
  return selectRows(queries, resource, further, { limit: laterBatch })
}

function selectRows(
  queries: Queries,
  resource: Resource<unknown>,
  where: Condition[],
  { limit, offset = 0 }: { limit: number; offset?: number },
): Promise<Row[]> {
  return queries.all(sql`
    select ${resource.columns} from ${identifier(resource.table)}${whereAll(where)}
    order by ${orderOf(resource)} limit ${limit} offset ${offset}`)
}

function whereAll(conditions: Condition[]): Sql {
  return conditions.length === 0 ? sql`` : sql` where ${joinSql(conditions, sql` and `)}`
}

function orderOf({ table, order }: Resource<unknown>): Sql {
  return joinSql(order.map((column) => identifier(table, column)))
}

/** Everything that comes after `row` in the order of the resource. */
function after(resource: Resource<unknown>, row: Row): Condition {
  return sql`(${orderOf(resource)}) > (${joinSql(resource.order.map((column) => row[column]))})`
}

/** A record on each line: text that can be cut at its line ends while it arrives. */
function toLines(resource: Resource<unknown>, rows: Row[]): string {
  return rows.map((row) => JSON.stringify(toWire(resource, row))).join(',\n')
}
