import { entryTimesColumns, entryTimesType } from '../../api-client/types.js'
import {
  conditionAfter,
  endOfPart,
  lastPartHeaders,
  orderOf,
  startOfPart,
  whereClause,
} from '../http/lists/list-part.js'
import { firstLimit, laterBatchSize } from '../http/lists/list-response.js'
import { inTurnOfUser } from '../http/lists/long-list.js'
import type { RequestContext } from '../http/request-context.js'
import type { HttpResponse } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { type Condition, parseConditions } from './ransack.js'
import { readFilter } from './request-filter.js'
import { timeEntries } from './resources.js'

/** Consecutive entries in columns: a JSON object with an array for each of `entryTimesColumns`. */
interface Batch {
  text: string
  count: number
  /** The values of the last entry by which entries are ordered. */
  last: number[]
}

/**
 * Responds with the times of the entries that match `conditions` and the filter of the request: a JSON array with a batch of
 * entries per line. Streams like `respondWithList`.
 */
export async function respondWithEntryTimes(
  context: RequestContext,
  conditions: Condition[],
): Promise<HttpResponse> {
  const { request, queries } = context
  const filter = readFilter(request, timeEntries)
  const list = [...conditions, ...(await parseConditions(filter, timeEntries, context))]
  const where = [...startOfPart(request, timeEntries), ...list]
  const limit = firstLimit(context)
  const first = await readBatch(queries, where, limit)
  if (first.count < limit) {
    const body = first.count === 0 ? '[]' : `[${first.text}]`
    const headers = await lastPartHeaders(context, timeEntries, list)
    return { status: 200, headers: { ...ownHeaders, ...headers }, body }
  }
  return inTurnOfUser(context, async () => {
    const { end, headers } = await endOfPart(context, timeEntries, where, list)
    const body = textOf(context, [...where, ...end], first)
    return { status: 200, headers: { ...ownHeaders, ...headers }, body }
  })
}

const ownHeaders = { 'Content-Type': entryTimesType, 'Cache-Control': 'no-store' }

/** The entries of a batch take less time than as many records. */
const entriesPerRecord = 4

async function* textOf(
  { queries, onError, lists }: RequestContext,
  where: Condition[],
  first: Batch,
): AsyncGenerator<string> {
  try {
    const limit = lists ? lists.batchSize * entriesPerRecord : laterBatchSize
    yield `[${first.text}`
    for (let batch = first; ; ) {
      batch = await readBatch(queries, [conditionAfter(timeEntries, batch.last), ...where], limit)
      if (batch.count === 0) break
      yield `,\n${batch.text}`
    }
    yield ']'
  } catch (error) {
    onError(error)
    throw error
  }
}

/** Reads the next entries. The database writes the JSON, which is much faster than to create an object for each row. */
async function readBatch(queries: Queries, where: Condition[], limit: number): Promise<Batch> {
  const toArray = queries.dialect === 'sqlite' ? sql`json_group_array` : sql`json_agg`
  const arrays = entryTimesColumns.map(
    (name) => sql`cast(${toArray}(${identifier(name)}) as text) as ${identifier(name)}`,
  )
  const [row] = await queries.all<Record<string, string> & { count: number }>(
    sql`
    select count(*) as count, ${joinSql(arrays)} from (
      select ${joinSql(entryTimesColumns.map(columnOf))} from time_entries${whereClause(where)}
      order by ${orderOf(timeEntries)} limit ${limit}
    ) as batch`,
    'row',
  )
  if (!row || row.count === 0) return { text: '', count: 0, last: [] }
  const columns = entryTimesColumns.map((name) => `"${name}":${row[name]}`)
  return {
    text: `{${columns.join()}}`,
    count: row.count,
    last: timeEntries.order.map((name) => lastNumber(row[name] ?? '')),
  }
}

function columnOf(name: string): Sql {
  return identifier(timeEntries.table, name)
}

/** Returns the last element of a JSON array of whole numbers, which have up to 16 digits. */
function lastNumber(array: string): number {
  return Number(/-?\d+(?=\]$)/.exec(array.slice(-20))?.[0])
}
