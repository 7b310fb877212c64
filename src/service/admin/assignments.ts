import type { Assignment } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { isDay } from '../resources/values.js'
import type { Storage } from '../storage/storage.js'
import { inTransaction } from '../storage/transaction.js'
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
  { db }: Storage,
  { email, projects, startsOn, endsOn }: AssignmentDays & { projects: readonly string[] },
): Promise<Assignment[]> {
  for (const day of [startsOn, endsOn]) {
    if (day !== undefined && !isDay(day)) throw new TtError('usage', `"${day}" is not a date (YYYY-MM-DD).`)
  }
  if (startsOn !== undefined && endsOn !== undefined && endsOn < startsOn) {
    throw new TtError('usage', `The assignment would end (${endsOn}) before it starts (${startsOn}).`)
  }
  return inTransaction(db, async (transaction) => {
    const userId = await findUserId({ db: transaction }, email)
    const assigned: Assignment[] = []
    for (const typed of projects) {
      const project = await findProject(transaction, typed)
      const assignment = {
        user_id: userId,
        project_id: project.id,
        starts_on: startsOn ?? null,
        ends_on: endsOn ?? null,
      }
      const existing = await transaction
        .selectFrom('assignments')
        .select('id')
        .where('user_id', '=', assignment.user_id)
        .where('project_id', '=', assignment.project_id)
        .where('starts_on', startsOn === undefined ? 'is' : '=', assignment.starts_on)
        .where('ends_on', endsOn === undefined ? 'is' : '=', assignment.ends_on)
        .executeTakeFirst()
      if (existing)
        throw new TtError('usage', `${email} is already assigned to ${project.path} for those days.`)
      const added = await transaction
        .insertInto('assignments')
        .values(assignment)
        .returning(['id', 'project_id', 'starts_on', 'ends_on'])
        .executeTakeFirstOrThrow()
      assigned.push(added)
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
  { db }: Storage,
  { email, projects, lastDay }: { email: string; projects: readonly string[]; lastDay: string },
): Promise<string[]> {
  return inTransaction(db, async (transaction) => {
    const paths: string[] = []
    const userId = await findUserId({ db: transaction }, email)
    for (const typed of projects) {
      const { id: projectId, path } = await findProject(transaction, typed)
      paths.push(path)
      const removed = await transaction
        .deleteFrom('assignments')
        .where('user_id', '=', userId)
        .where('project_id', '=', projectId)
        .where('starts_on', '>', lastDay)
        .executeTakeFirst()
      const ended = await transaction
        .updateTable('assignments')
        .set({ ends_on: lastDay })
        .where('user_id', '=', userId)
        .where('project_id', '=', projectId)
        .where(({ eb, or }) => or([eb('ends_on', 'is', null), eb('ends_on', '>', lastDay)]))
        .executeTakeFirst()
      if (removed.numDeletedRows + ended.numUpdatedRows === 0n)
        throw new TtError('usage', `${email} is not assigned to ${path} after ${lastDay}.`)
    }
    return paths
  })
}

/** Returns the assignments of all users, or of one, by user and project. Throws TtError `not_found` for an unknown user. */
export async function listAssignments(
  { db }: Storage,
  email: string | undefined,
): Promise<NamedAssignment[]> {
  const userId = email === undefined ? undefined : await findUserId({ db }, email)
  return db
    .selectFrom('assignments')
    .innerJoin('users', 'users.id', 'assignments.user_id')
    .innerJoin('projects', 'projects.id', 'assignments.project_id')
    .leftJoin('clients', 'clients.id', 'projects.client_id')
    .select(['assignments.id', 'assignments.project_id', 'assignments.starts_on', 'assignments.ends_on'])
    .select(['users.email as user', 'clients.name as client', 'projects.name as project'])
    .$if(userId !== undefined, (query) => query.where('users.id', '=', userId ?? 0))
    .orderBy('users.email')
    .orderBy('clients.name', (order) => order.asc().nullsFirst())
    .orderBy('projects.name')
    .orderBy('assignments.id')
    .execute()
}

/** Returns the number of active users without an assignment. */
export async function countUnassigned({ db }: Storage): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('active', '=', 1)
    .where('id', 'not in', (assignments) => assignments.selectFrom('assignments').select('user_id'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
