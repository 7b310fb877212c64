import { type Condition, parseConditions } from '../../resources/ransack.js'
import { readFilter } from '../../resources/request-filter.js'
import { type Resource, type Row, select, toRecords } from '../../resources/resources.js'
import type { Queries } from '../../storage/queries.js'
import { identifier, sql } from '../../storage/sql.js'
import type { RequestContext } from '../request-context.js'
import { type HttpResponse, jsonResponse, jsonTextResponse, RecordBatches } from '../response.js'
import {
  conditionAfter,
  endOfPart,
  lastPartHeaders,
  orderOf,
  positionOf,
  startOfPart,
  whereClause,
} from './list-part.js'
import { inTurnOfUser } from './long-list.js'
import { parsePaging } from './paging.js'

/** Number of records in the first batch. A shorter list is sent at once, without streaming. */
export const firstBatchSize = 500
/** Number of records in each further batch in this process, where nothing else waits. */
export const laterBatchSize = 2000

/**
 * Returns the records that match `conditions` and the filter of the request, in the order of the resource. Returns one page
 * if the request has `per_page`, otherwise all. If it has `fields`, records have only these fields and those by which the
 * resource is ordered; if it has `times=ms`, times are in epoch milliseconds.
 *
 * A list of more than one batch streams. Each further batch starts after the last record sent and is read when the
 * client has received the batch before it. So a slow client occupies neither memory nor the database, and records that
 * are created or deleted during the transfer cause no duplicates or gaps. With `context.lists`, a list ends at a limit and
 * continues at the address in its Link header.
 */
export async function respondWithList(
  context: RequestContext,
  wholeResource: Resource<unknown>,
  conditions: Condition[],
): Promise<HttpResponse> {
  const { request, queries } = context
  const filter = readFilter(request, wholeResource)
  const list = [...conditions, ...(await parseConditions(filter, wholeResource, context))]
  const where = [...startOfPart(request, wholeResource), ...list]
  const selection = { fields: request.query('fields'), times: request.query('times') }
  const resource = select(wholeResource, selection)
  const paging = parsePaging(request)
  if (paging) {
    const { respondWithPage } = await import('./list-page.js')
    return respondWithPage(context, resource, list, { ...paging, times: selection.times })
  }
  const limit = firstLimit(context)
  if (context.lists) {
    const { selectText } = await import('./list-text.js')
    const { text, count } = await selectText(queries, resource, where, { limit, times: selection.times })
    if (count < limit) return jsonTextResponse(text, await lastPartHeaders(context, wholeResource, list))
  }
  const rows = await selectRows(queries, resource, where, { limit })
  if (rows.length < limit) {
    const records = toRecords(resource, rows, selection.times)
    const headers = await lastPartHeaders(context, wholeResource, list)
    return jsonResponse(new RecordBatches([records]), 200, headers)
  }
  return inTurnOfUser(context, async () => {
    const { end, headers } = await endOfPart(context, resource, where, list)
    const batches = readBatches(context, resource, [...where, ...end], rows, selection.times)
    return jsonResponse(new RecordBatches(batches), 200, headers)
  })
}

/** Returns the number of records to read before the response begins. */
export function firstLimit({ lists }: RequestContext): number {
  return Math.min(firstBatchSize, lists?.maxRecords ?? firstBatchSize)
}

async function* readBatches(
  context: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  first: Row[],
  times: string | undefined,
): AsyncGenerator<object[]> {
  try {
    let rows = first
    while (rows.length > 0) {
      // Converting the rows changes them.
      const last = positionOf(resource, rows.at(-1))
      yield toRecords(resource, rows, times)
      rows = await selectNextRows(context, resource, where, last)
    }
  } catch (error) {
    context.onError(error)
    throw error
  }
}

function selectNextRows(
  { queries, lists }: RequestContext,
  resource: Resource<unknown>,
  where: Condition[],
  last: unknown[],
): Promise<Row[]> {
  // SQLite seeks by the first of several lower bounds. With another one first, each batch would reread earlier rows.
  return selectRows(queries, resource, [conditionAfter(resource, last), ...where], {
    limit: lists?.batchSize ?? laterBatchSize,
  })
}

function selectRows(
  queries: Queries,
  resource: Resource<unknown>,
  where: Condition[],
  { limit }: { limit: number },
): Promise<Row[]> {
  return queries.all(sql`
    select ${resource.columns} from ${identifier(resource.table)}${whereClause(where)}
    order by ${orderOf(resource)} limit ${limit}`)
}
