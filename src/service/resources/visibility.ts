import { dayAt } from '../../calendar/time-zone.js'
import type { RequestContext } from '../http/request-context.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import type { FieldValidation } from './field-validation.js'
import type { Row } from './resources.js'

/** The user of a request, and how it reads the database. */
export type Viewer = Pick<RequestContext, 'userId' | 'seesEverything' | 'queries'>

/**
 * Returns the condition for the projects that the user sees. Where the company shows assigned projects only, these are the
 * projects of all assignments of the user, and of the user's entries and expenses, whose names stay visible after an
 * assignment ends.
 */
export function visibleProjects(viewer: Viewer): Sql[] {
  const { userId } = viewer
  return visible(viewer, [
    sql`projects.id in (select project_id from assignments where user_id = ${userId})`,
    sql`projects.id in (select project_id from task_links where id in ${usedTaskLinks(userId)})`,
    sql`projects.id in ${usedProjects(userId)}`,
  ])
}

/** Returns the condition for the task links that the user sees: those of assigned projects, and of the user's entries. */
export function visibleTaskLinks(viewer: Viewer): Sql[] {
  const { userId } = viewer
  return visible(viewer, [
    sql`task_links.project_id in (select project_id from assignments where user_id = ${userId})`,
    sql`task_links.id in ${usedTaskLinks(userId)}`,
  ])
}

/** Returns the condition for the tasks of the task links that the user sees. */
export function visibleTasks(viewer: Viewer): Sql[] {
  return visible(viewer, [
    sql`tasks.id in (select task_id from task_links where ${joinSql([sql`1 = 1`, ...visibleTaskLinks(viewer)], ' and ')})`,
  ])
}

/** Returns the condition for the clients of the projects that the user sees. */
export function visibleClients(viewer: Viewer): Sql[] {
  return visible(viewer, [
    sql`clients.id in (select client_id from projects where ${joinSql([sql`1 = 1`, ...visibleProjects(viewer)], ' and ')})`,
  ])
}

const usedTaskLinks = (userId: number) => distinctValues('time_entries', 'task_link_id', userId)
const usedProjects = (userId: number) => distinctValues('expenses', 'project_id', userId)

/**
 * Returns the distinct values of a column in the records of a user, as a subquery that reads one entry of the index on the
 * user and the column for each value. `select distinct` reads all records of the user, and so may `exists` in PostgreSQL.
 */
function distinctValues(table: 'time_entries' | 'expenses', column: string, userId: number): Sql {
  const [from, value] = [identifier(table), identifier(column)]
  return sql`(
    with recursive found(value) as (
      select min(${value}) from ${from} where user_id = ${userId} and ${value} is not null
      union all
      select (select min(${value}) from ${from} where user_id = ${userId} and ${value} > found.value)
      from found where found.value is not null)
    select value from found where value is not null)`
}

function visible({ seesEverything }: Viewer, alternatives: Sql[]): Sql[] {
  if (seesEverything) return []
  const isOpen = sql`not exists (select 1 from company where visibility = 'assigned')`
  return [sql`(${joinSql([isOpen, ...alternatives], ' or ')})`]
}

/**
 * Adds a problem when the task link of an entry does not exist or is archived, or, where the company shows assigned
 * projects only, when the user is not assigned to its project on the day of the entry in the company's time zone. Other
 * fields of an entry can still be changed after the project was archived or the assignment has ended.
 */
export async function checkTaskLink(
  checks: FieldValidation,
  viewer: Viewer,
  { columns, stored }: { columns: Row; stored: Row | undefined },
): Promise<void> {
  const field = 'task_link_id'
  const { task_link_id: id, time_start: start } = { ...stored, ...columns }
  if (typeof id !== 'number') return
  const isLinkChanged = id !== stored?.task_link_id
  if (!isLinkChanged && (viewer.seesEverything || start === stored.time_start)) return
  const { active, visibility, timeZone } = await readTaskLink(viewer, id)
  if (visibility === 'assigned' && !viewer.seesEverything && typeof start === 'number') {
    const day = await dayAt(start, timeZone)
    const isDayChanged = (await dayAt(Number(stored?.time_start ?? start), timeZone)) !== day
    if ((isLinkChanged || isDayChanged) && !(await isAssigned(viewer, id, day)))
      return checks.add(field, `is not assigned to you on ${day}`)
  }
  if (!isLinkChanged) return
  if (active === null) checks.add(field, 'does not exist')
  else if (active === 0) checks.add(field, 'is no longer active')
}

/** Reads a task link and the settings of the company. `active` is null for a link that does not exist. */
async function readTaskLink({ queries }: Viewer, id: number) {
  const [row] = await queries.all<{
    active: number | null
    visibility: string | null
    time_zone: string | null
  }>(sql`
    select task_links.active, company.visibility, company.time_zone from (select 1 as one) as request
    left join company on 1 = 1
    left join task_links on task_links.id = ${id}`)
  return { active: row?.active ?? null, visibility: row?.visibility, timeZone: row?.time_zone ?? 'UTC' }
}

/** In a transaction, the assignment cannot end before the transaction does. SQLite has one writer at a time. */
async function isAssigned({ queries, userId }: Viewer, taskLinkId: number, day: string): Promise<boolean> {
  const rows = await queries.all(sql`
    select 1 from assignments
    inner join task_links on task_links.project_id = assignments.project_id
    where task_links.id = ${taskLinkId} and assignments.user_id = ${userId}
      and (assignments.starts_on is null or assignments.starts_on <= ${day})
      and (assignments.ends_on is null or assignments.ends_on >= ${day})
    limit 1${queries.dialect === 'postgres' ? sql` for share of assignments` : sql``}`)
  return rows.length > 0
}
