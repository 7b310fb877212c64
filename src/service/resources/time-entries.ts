import { entryTimesType } from '../../api-client/types.js'
import { dayMs } from '../../lib/time-units.js'
import { taskLink, timeEntry } from '../../records/records.js'
import { completeListHeaders, respondWithList } from '../http/list.js'
import { type Handler, type RequestContext, readJsonObject } from '../http/request-context.js'
import { badRequest, type HttpResponse, jsonResponse, notFound } from '../http/response.js'
import type { Queries } from '../storage/queries.js'
import { allOf, joinSql, type Sql, sql } from '../storage/sql.js'
import { columnsOf, entryTimes, type Row, toRecords } from './fields.js'
import { type Comparison, comparedInstant, parseConditions, readFilter, timeZoneOf } from './ransack.js'
import { changes, closedPeriodRule, type EntryDay, type Rule, referenceRules, shareLock } from './rules.js'
import { showsAllProjects } from './visibility.js'
import {
  create,
  findByExternalId,
  recordArrayResponse,
  remove,
  show,
  update,
  type WritableResource,
} from './writes.js'

/**
 * The rule that, where the company shows assigned projects only, the user is assigned to the project of an entry on its day,
 * unless both stay the same. It does not reveal which task links exist.
 */
const assignmentRule: Rule = {
  field: 'task_link_id',
  message: (day) => `is not assigned to you on ${day}`,
  detail: ({ day }) => sql`cast(${day?.name} as text)`,
  condition(write, { userId, seesEverything, queries }) {
    const { next, stored, day } = write
    if (seesEverything || !day) return undefined
    const isOnDay =
      stored && sql`${stored.time_start} >= ${day.from} and ${stored.time_start} < ${day.before}`
    const alternatives = [showsAllProjects]
    if (isOnDay) alternatives.push(sql`(${next.task_link_id} = ${stored.task_link_id} and ${isOnDay})`)
    alternatives.push(sql`exists (
      select 1 from assignments inner join task_links on task_links.project_id = assignments.project_id
      where task_links.id = ${next.task_link_id} and assignments.user_id = ${userId}
        and (assignments.starts_on is null or assignments.starts_on <= ${day.name})
        and (assignments.ends_on is null or assignments.ends_on >= ${day.name})
        ${isOnDay && !changes(write, 'time_start') ? sql`and ${isOnDay}` : sql``}${shareLock(queries, sql` of assignments`)})`)
    return sql`(${joinSql(alternatives, ' or ')})`
  },
}

/** The rules of time entries, which imports apply too. */
export const entryRules: readonly Rule[] = [
  {
    field: 'time_end',
    message: 'must not be before time_start',
    condition: (write) =>
      changes(write, 'time_start') || changes(write, 'time_end')
        ? sql`(${write.next.time_end} is null or ${write.next.time_end} >= ${write.next.time_start})`
        : undefined,
  },
  assignmentRule,
  ...referenceRules('task_link_id', 'task_links'),
  closedPeriodRule('time_start', (start) => sql`closed_before > ${start}`),
]

const writable: WritableResource = {
  record: timeEntry,
  readBody: readJsonObject,
  rules: entryRules,
  dayOf: dayOfStart,
}

export const createEntry: Handler = (context) => create(context, writable)
export const updateEntry: Handler = (context) => update(context, writable)
export const removeEntry: Handler = (context) => remove(context, writable)
export const showEntry: Handler = (context) => show(context, writable)

export const listEntries: Handler = async (context) => {
  const conditions = [sql`time_entries.user_id = ${context.userId}`, ...(await earliestStart(context))]
  if (!acceptsEntryTimes(context)) return respondWithList(context, timeEntry, conditions)
  const response = await respondWithList(context, timeEntry, conditions, entryTimes)
  return { ...response, headers: { ...response.headers, 'Content-Type': entryTimesType } }
}

/** Whether the client accepts the times of entries instead of whole records (docs/decisions/entry-times.md). */
function acceptsEntryTimes({ request }: RequestContext): boolean {
  const types = (request.raw.headers.get('Accept') ?? '').split(',')
  return types.some((type) => type.split(';')[0]?.trim().toLowerCase() === entryTimesType)
}

/** Matches the index `time_entries_long`, so the number must be part of the text. */
const longEntries = sql`time_end - time_start > 86400000`

/**
 * Returns the condition that `time_end_gteq` or `time_end_eq` implies for the start of an entry, so that the index by start
 * applies: entries start at most a day before their end, except the long ones, which have an index of their own.
 */
async function earliestStart(context: RequestContext): Promise<Sql[]> {
  const { request, queries, userId } = context
  const filter = readFilter(request, timeEntry)
  const comparedEnd = (matcher: Comparison) =>
    comparedInstant(filter, { field: 'time_end', matcher }, context)
  const end = (await comparedEnd('eq')) ?? (await comparedEnd('gteq'))
  if (end === undefined) return []
  const [long] = await queries.all<{ start: number | null }>(sql`
    select min(time_start) as start from time_entries
    where user_id = ${userId} and ${longEntries} and time_end >= ${end}`)
  return [sql`time_entries.time_start >= ${Math.min(end - dayMs, long?.start ?? end)}`]
}

/** Returns the entry with the external ID in the parameter `external_id`, in a one-element array. Throws HttpError 404. */
export async function findEntry(context: RequestContext): Promise<HttpResponse> {
  const externalIdText = context.request.query('external_id')
  if (externalIdText === undefined) throw badRequest('The parameter external_id is missing.')
  const row = await findByExternalId(context.queries, timeEntry, context.userId, externalIdText)
  if (!row) throw notFound('You have no time entry with that external_id.')
  return recordArrayResponse(timeEntry, row)
}

/**
 * Returns the task links of the user's entries of the last 7 days (service-api-v1.md sections 4 and 8), sorted by their
 * number of entries, which is added as `entries`, then by last use.
 */
export async function mostUsedTasks(context: RequestContext): Promise<HttpResponse> {
  const { request, queries, userId, now } = context
  const where = await parseConditions(readFilter(request, taskLink), taskLink, context)
  const until = now.getTime()
  const rows = await queries.all<Row>(sql`
    select ${columnsOf(taskLink)}, used.entries from task_links
    inner join (
      select task_link_id, count(*) as entries, max(time_start) as latest from time_entries
      where user_id = ${userId} and time_start >= ${until - 7 * dayMs} and time_start <= ${until}
      group by task_link_id
    ) as used on used.task_link_id = task_links.id
    where ${allOf(...where)}
    order by used.entries desc, used.latest desc, task_links.id`)
  return jsonResponse(toRecords(taskLink, rows), 200, completeListHeaders(request.url))
}

/** Returns the day of the start of the entry, also of a stored one; undefined where the user sees everything. */
async function dayOfStart(
  { time_start: start, task_link_id: link }: Row,
  context: RequestContext,
  id?: number,
): Promise<EntryDay | undefined> {
  const { queries, userId, seesEverything } = context
  if (seesEverything || (start === undefined && link === undefined)) return undefined
  const instant = start ?? (await storedStart(queries, userId, id))
  if (typeof instant !== 'number') return undefined
  const zone = await timeZoneOf(context)
  const { dayAt, endOfDay, startOfDay } = await import('../../lib/calendar/time-zone.js')
  const name = await dayAt(instant, zone)
  return { name, from: await startOfDay(name, zone), before: await endOfDay(name, zone) }
}

async function storedStart(queries: Queries, userId: number, id: number | undefined): Promise<unknown> {
  const [row] = await queries.all<Row>(
    sql`select time_start from time_entries where id = ${id} and user_id = ${userId}`,
  )
  return row?.time_start
}
