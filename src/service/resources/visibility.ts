import type { RequestContext } from '../http/request-context.js'
import { allOf, identifier, joinSql, type Sql, sql } from '../storage/sql.js'

/** The user of a request, and how it reads the database. */
export type Viewer = Pick<RequestContext, 'userId' | 'seesEverything' | 'queries'>

/** The condition that the company shows all projects, not only assigned ones. */
export const showsAllProjects = sql`not exists (select 1 from company where visibility = 'assigned')`

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
  return [sql`(${joinSql([showsAllProjects, ...alternatives], ' or ')})`]
}
