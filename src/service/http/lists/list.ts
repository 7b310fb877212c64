import type { RecordDeclaration } from '../../../records/records.js'
import { columnsOf, type Row, toRecords } from '../../resources/fields.js'
import { type Condition, parseConditions, readFilter } from '../../resources/ransack.js'
import { allWhere } from '../../storage/queries.js'
import { identifier, literal, type Sql, sql } from '../../storage/sql.js'
import type { RequestContext } from '../request-context.js'
import { type HttpResponse, jsonResponse, RecordBatches } from '../response.js'
import type { UserTurns } from '../user-turns.js'
import { totalOf } from './list-total.js'
import { inTurnOfUser } from './long-list.js'
import {
  conditionAfter,
  endOfPart,
  lastPartHeaders,
  linkHeader,
  orderOf,
  type Paging,
  parsePaging,
  positionOf,
  startOfPart,
} from './paging.js'

/** Number of records in the first batch. A shorter list is sent at once, without streaming. */
const firstBatchSize = 500
/** Number of records in each further batch in the local workspace, where no other requests wait. */
const laterBatchSize = 2000

/** How much of a list one response contains, and how it is read. */
export interface ListOptions {
  /** Upper bound for the records of a response without `per_page`, if there is one. */
  maxRecords: number | undefined
  /** Number of records that are read at once, between other requests. */
  batchSize: number
  /** The turns of users for lists of more than one batch. */
  turns: UserTurns
}

/** A list: the records of a record that match conditions, in its order. */
interface List {
  context: RequestContext
  record: RecordDeclaration
  /** The fields of its records in the response. */
  form: RecordDeclaration
  /** The conditions of the whole list. */
  conditions: Condition[]
}

/**
 * Returns the records that match `conditions` and the filter of the request, in the order of the record. Returns one page
 * if the request has `per_page`, otherwise all.
 *
 * A list of more than one batch streams. Each further batch starts after the last record sent and is read when the client
 * has received the batch before it. So a slow client occupies neither memory nor the database, and records that are created
 * or deleted during the transfer cause no duplicates or gaps. With `context.lists`, a list ends at a limit and continues at
 * the address in its Link header.
 *
 * @param form the same record with other fields, for the records in the response
 */
export async function respondWithList(
  context: RequestContext,
  record: RecordDeclaration,
  conditions: Condition[],
  form = record,
): Promise<HttpResponse> {
  const { request, lists } = context
  const filter = await parseConditions(readFilter(request, record), record, context)
  const whole = [...conditions, ...filter]
  const part = [...startOfPart(request, record), ...whole]
  const list: List = { context, record, form, conditions: whole }
  const paging = parsePaging(request)
  if (paging) return respondWithPage(list, paging)
  const limit = Math.min(firstBatchSize, lists?.maxRecords ?? firstBatchSize)
  const rows = await selectRows(list, part, { limit })
  if (rows.length < limit) {
    const headers = await lastPartHeaders(context, record, whole)
    return jsonResponse(new RecordBatches([toRecords(form, rows)]), 200, headers)
  }
  return inTurnOfUser(context, async () => {
    const { end, headers } = await endOfPart(context, record, part, whole)
    return jsonResponse(new RecordBatches(readBatches(list, [...part, ...end], rows)), 200, headers)
  })
}

/** Returns one page of a list with Link (RFC 8288) and X-Total-Count. The last page needs no counting. */
async function respondWithPage(list: List, { page, perPage }: Paging): Promise<HttpResponse> {
  const { context, record, form, conditions } = list
  const offset = (page - 1) * perPage
  const rows = await selectRows(list, conditions, { limit: limitOf(perPage), offset })
  const hasNext = rows.length > perPage
  const isLast = !hasNext && (rows.length > 0 || page === 1)
  const total = isLast ? offset + rows.length : await totalOf(context, record, conditions)
  return jsonResponse(new RecordBatches([toRecords(form, rows.slice(0, perPage))]), 200, {
    'X-Total-Count': String(total),
    Link: linkHeader(context.request.url, { page, perPage }, total),
  })
}

/** The sizes of pages with statements of their own, so that their number is limited. */
const usualSizes = [10, 20, 25, 50, 100, 200, 250, 500, 1000]

/** Returns the limit of a page and the record that shows whether there is a next one. */
function limitOf(perPage: number): number | Sql {
  return usualSizes.includes(perPage) ? literal(perPage + 1) : perPage + 1
}

async function* readBatches(list: List, where: Condition[], first: Row[]): AsyncGenerator<object[]> {
  const { record, form, context } = list
  const limit = context.lists?.batchSize ?? laterBatchSize
  try {
    let rows = first
    while (rows.length > 0) {
      // Converting the rows changes them.
      const last = positionOf(record, rows.at(-1))
      yield toRecords(form, rows)
      // SQLite seeks by the first of several lower bounds. With another one first, each batch would reread earlier rows.
      rows = await selectRows(list, [conditionAfter(record, last), ...where], { limit })
    }
  } catch (error) {
    context.onError(error)
    throw error
  }
}

function selectRows(
  { context, record, form }: List,
  conditions: Condition[],
  { limit, offset = 0 }: { limit: number | Sql; offset?: number },
): Promise<Row[]> {
  return allWhere(
    context.queries,
    'read',
    conditions,
    (where) => sql`
    select ${columnsOf(form)} from ${identifier(record.table)} where ${where}
    order by ${orderOf(record)} limit ${limit}${offset > 0 ? sql` offset ${offset}` : sql``}`,
  )
}
