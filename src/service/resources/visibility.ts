import type { RequestContext } from '../http/request-context.js'
import { allOf, identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { changes, type Rule, shareLock } from './rules.js'

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
    sql`tasks.id in (select task_id from task_links where ${allOf(...visibleTaskLinks(viewer))})`,
  ])
}

/** Returns the condition for the clients of the projects that the user sees. */
export function visibleClients(viewer: Viewer): Sql[] {
  return visible(viewer, [
    sql`clients.id in (select client_id from projects where ${allOf(...visibleProjects(viewer))})`,
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
 * The rule that, where the company shows assigned projects only, the user is assigned to the project of an entry on its day,
 * unless both stay the same. It does not reveal which task links exist.
 */
export const assignmentRule: Rule = {
  field: 'task_link_id',
  message: (day) => `is not assigned to you on ${day}`,
  detail: ({ day }) => sql`cast(${day?.name} as text)`,
  condition(write, { userId, seesEverything, queries }) {
    const { next, stored, day } = write
    if (seesEverything || !day) return undefined
    const isOnDay =
      stored && sql`${stored.time_start} >= ${day.from} and ${stored.time_start} < ${day.before}`
    const alternatives = [sql`not exists (select 1 from company where visibility = 'assigned')`]
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
