import { entryTimesColumns, entryTimesType } from '../../api-client/types.js'
import {
  conditionAfter,
  firstBatchSize,
  laterBatchSize,
  orderOf,
  whereClause,
} from '../http/list-response.js'
import { completeListHeaders } from '../http/paging.js'
import type { RequestContext } from '../http/request-context.js'
import type { HttpResponse } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { type Condition, parseConditions } from './ransack.js'
import { timeEntries } from './resources.js'

/** Consecutive entries in columns: a JSON object with an array for each of `entryTimesColumns`. */
interface Batch {
  text: string
  count: number
  /** The values of the last entry by which entries are ordered. */
  last: number[]
}

/**
 * Responds with the times of the entries that match `conditions` and the `q` of the request: a JSON array with a batch of
 * entries per line. Streams like `respondWithList`.
 */
export async function respondWithEntryTimes(
  context: RequestContext,
  conditions: Condition[],
): Promise<HttpResponse> {
  const { request, queries } = context
  const where = [...conditions, ...(await parseConditions(request.query('q'), timeEntries, queries))]
  const first = await readBatch(queries, where, firstBatchSize)
  return {
    status: 200,
    headers: {
      ...{ 'Content-Type': entryTimesType, 'Cache-Control': 'no-store' },
      ...completeListHeaders(request.url),
    },
    body: first.count === 0 ? '[]' : textOf(context, where, first),
  }
}

async function* textOf(
  { queries, onError }: RequestContext,
  where: Condition[],
  first: Batch,
): AsyncGenerator<string> {
  try {
    yield `[${first.text}`
    for (let batch = first; ; ) {
      batch = await readBatch(queries, [conditionAfter(timeEntries, batch.last), ...where], laterBatchSize)
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
  const [row] = await queries.all<Record<string, string> & { count: number }>(sql`
    select count(*) as count, ${joinSql(arrays)} from (
      select ${joinSql(entryTimesColumns.map(columnOf))} from time_entries${whereClause(where)}
      order by ${orderOf(timeEntries)} limit ${limit}
    ) as batch`)
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
