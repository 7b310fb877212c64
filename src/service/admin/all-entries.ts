import type { TimeEntry } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { dayMs } from '../../lib/time-units.js'
import { timeEntry } from '../../records/records.js'
import { HttpError } from '../http/response.js'
import { columnsOf, type Row, toRecord } from '../resources/fields.js'
import { type Condition, parseConditions, parsePredicates } from '../resources/ransack.js'
import type { Queries } from '../storage/queries.js'
import { joinSql, type Sql, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'

/** Which entries to read; instants are in epoch milliseconds. */
export interface EntriesQuery {
  userIds: readonly number[]
  /** The entries overlap the time from `start` up to `end`. A running entry may have any start before `end`. */
  start: number | undefined
  end: number | undefined
  /** Further conditions, like the parameter `q` of the API. */
  q: string
  /** Whether the times and the task link suffice. */
  timesSuffice: boolean
}

/** A row of `time_entries` with at least these columns. */
export type EntryRow = Row & {
  id: number
  user_id: number
  time_start: number
  time_end: number | null
  task_link_id: number
}

const batchSize = 2000

/**
 * Yields the entries of several users in batches, each entry once, in any order. It reads the index of each user, so that
 * the memory that it needs does not depend on the number of entries. Throws TtError `usage` for an invalid `q`.
 */
export async function* readEntries(
  { queries }: Pick<Storage, 'queries'>,
  { userIds, start, end, q, timesSuffice }: EntriesQuery,
): AsyncGenerator<EntryRow[]> {
  const filters = [
    ...(await conditionsOf(q, queries)),
    ...(end === undefined ? [] : [sql`time_entries.time_start < ${end}`]),
  ]
  const columns = timesSuffice ? sql`id, user_id, time_start, time_end, task_link_id` : allColumns
  const read = (conditions: Condition[]) => readBatches(queries, columns, [...filters, ...conditions])
  // Entries start at most a day before their end, except for open and long ones, which have indexes of their own.
  const from = start === undefined ? undefined : start - dayMs
  const inPeriod = from === undefined ? [] : [sql`time_entries.time_start >= ${from}`]
  for (const userId of userIds) yield* read([sql`time_entries.user_id = ${userId}`, ...inPeriod])
  if (from === undefined) return
  const users = new Set(userIds)
  const earlier = sql`time_entries.time_start < ${from}`
  const long = sql`time_entries.time_end - time_entries.time_start > 86400000 and time_entries.time_end >= ${start}`
  for (const kind of [sql`time_entries.time_end is null`, long]) {
    for await (const rows of read([kind, earlier])) yield rows.filter((row) => users.has(row.user_id))
  }
}

/** Returns the record of an entry as its owner gets it. */
export const entryRecord = (row: EntryRow): TimeEntry => toRecord(timeEntry, row)

const allColumns = sql`${columnsOf(timeEntry)}, user_id`

async function* readBatches(
  queries: Queries,
  columns: Sql,
  conditions: Condition[],
): AsyncGenerator<EntryRow[]> {
  let position: Condition[] = []
  for (;;) {
    const rows = await queries.all<EntryRow>(sql`
      select ${columns} from time_entries where ${joinSql([...position, ...conditions], ' and ')}
      order by user_id, time_start, id limit ${batchSize}`)
    const last = rows.at(-1)
    if (!last) return
    position = [sql`(user_id, time_start, id) > (${last.user_id}, ${last.time_start}, ${last.id})`]
    yield rows
    if (rows.length < batchSize) return
  }
}

async function conditionsOf(q: string, queries: Queries): Promise<Condition[]> {
  try {
    return await parseConditions(parsePredicates(q), timeEntry, { queries })
  } catch (error) {
    if (error instanceof HttpError) throw new TtError('usage', error.message)
    throw error
  }
}
