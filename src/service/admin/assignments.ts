import type { Assignment } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { isDay } from '../resources/values.js'
import { insertInto, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { findProject } from './catalog/find-records.js'
import { findUserId } from './users.js'

/** An assignment with the names of its user and project. */
export interface NamedAssignment extends Assignment {
  /** The email address. */
  user: string
  client: string | null
  project: string
}

interface AssignmentDays {
  email: string
  startsOn?: string | undefined
  endsOn?: string | undefined
}

/** Assigns a user to the project at a path, like `assignProjects`. */
export async function assign(
  storage: Storage,
  { project, ...days }: AssignmentDays & { project: string },
): Promise<Assignment> {
  const [assignment] = await assignProjects(storage, { ...days, projects: [project] })
  if (!assignment) throw new Error('No assignment was added.')
  return assignment
}

/**
 * Assigns a user to the projects at these paths, all or none, optionally with a first and a last day (YYYY-MM-DD). Throws
 * TtError `usage` for invalid or repeated days, `not_found` for an unknown user or project.
 */
export async function assignProjects(
  { queries }: Storage,
  { email, projects, startsOn, endsOn }: AssignmentDays & { projects: readonly string[] },
): Promise<Assignment[]> {
  for (const day of [startsOn, endsOn]) {
    if (day !== undefined && !isDay(day)) throw new TtError('usage', `"${day}" is not a date (YYYY-MM-DD).`)
  }
  if (startsOn !== undefined && endsOn !== undefined && endsOn < startsOn) {
    throw new TtError('usage', `The assignment would end (${endsOn}) before it starts (${startsOn}).`)
  }
  return queries.transaction(async (transaction) => {
    const userId = await findUserId(transaction, email)
    const assigned: Assignment[] = []
    for (const typed of projects) {
      const project = await findProject(transaction, typed)
      const assignment = {
        user_id: userId,
        project_id: project.id,
        starts_on: startsOn ?? null,
        ends_on: endsOn ?? null,
      }
      const [existing] = await transaction.all(sql`
        select id from assignments where user_id = ${userId} and project_id = ${project.id}
          and coalesce(starts_on, '') = ${startsOn ?? ''} and coalesce(ends_on, '') = ${endsOn ?? ''}`)
      if (existing)
        throw new TtError('usage', `${email} is already assigned to ${project.path} for those days.`)
      const added = await transaction.all<Assignment>(
        sql`${insertInto('assignments', assignment)} returning id, project_id, starts_on, ends_on`,
      )
      assigned.push(...added)
    }
    return assigned
  })
}

/**
 * Ends the assignments of a user to the projects at these paths, all or none, with a last day (YYYY-MM-DD). Removes
 * assignments that would begin later. Returns the complete paths of the projects. Throws TtError `not_found` for an unknown user or project, `usage` for a project to
 * which the user is not assigned after that day.
 */
export async function unassign(
  { queries }: Storage,
  { email, projects, lastDay }: { email: string; projects: readonly string[]; lastDay: string },
): Promise<string[]> {
  return queries.transaction(async (transaction) => {
    const paths: string[] = []
    const userId = await findUserId(transaction, email)
    for (const typed of projects) {
      const { id: projectId, path } = await findProject(transaction, typed)
      paths.push(path)
      const removed = await transaction.all(sql`
        delete from assignments
        where user_id = ${userId} and project_id = ${projectId} and starts_on > ${lastDay} returning id`)
      const ended = await transaction.all(sql`
        update assignments set ends_on = ${lastDay}
        where user_id = ${userId} and project_id = ${projectId}
          and (ends_on is null or ends_on > ${lastDay}) returning id`)
      if (removed.length + ended.length === 0)
        throw new TtError('usage', `${email} is not assigned to ${path} after ${lastDay}.`)
    }
    return paths
  })
}

/** Returns the assignments of all users, or of one, by user and project. Throws TtError `not_found` for an unknown user. */
export async function listAssignments(
  { queries }: Storage,
  email: string | undefined,
): Promise<NamedAssignment[]> {
  const ofUser = email === undefined ? sql`` : sql`where users.id = ${await findUserId(queries, email)}`
  return queries.all<NamedAssignment>(sql`
    select assignments.id, assignments.project_id, assignments.starts_on, assignments.ends_on,
      users.email as "user", clients.name as client, projects.name as project
    from assignments inner join users on users.id = assignments.user_id
      inner join projects on projects.id = assignments.project_id
      left join clients on clients.id = projects.client_id
    ${ofUser} order by users.email, clients.name nulls first, projects.name, assignments.id`)
}

/** Returns the number of active users without an assignment. */
export async function countUnassigned({ queries }: Storage): Promise<number> {
  const [unassigned] = await queries.all<{ count: number }>(sql`
    select count(*) as count from users where active = 1 and id not in (select user_id from assignments)`)
  return unassigned?.count ?? 0
}
