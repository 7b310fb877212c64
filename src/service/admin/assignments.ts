import type { Assignment } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { isDay } from '../resources/values.js'
import type { Storage } from '../storage/storage.js'
import { findProject } from './find-or-create.js'
import { findUserId } from './users.js'

/**
 * Assigns a user to the project at a path, optionally with a first and a last day (YYYY-MM-DD). Throws TtError `usage`
 * for invalid or repeated days, `not_found` for an unknown user or project.
 */
export async function assign(
  { db }: Storage,
  {
    email,
    project,
    startsOn,
    endsOn,
  }: { email: string; project: string; startsOn?: string | undefined; endsOn?: string | undefined },
): Promise<Assignment> {
  for (const day of [startsOn, endsOn]) {
    if (day !== undefined && !isDay(day)) throw new TtError('usage', `"${day}" is not a date (YYYY-MM-DD).`)
  }
  if (startsOn !== undefined && endsOn !== undefined && endsOn < startsOn) {
    throw new TtError('usage', `The assignment would end (${endsOn}) before it starts (${startsOn}).`)
  }
  return db.transaction().execute(async (transaction) => {
    const assignment = {
      user_id: await findUserId({ db: transaction }, email),
      project_id: (await findProject(transaction, project)).id,
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
    if (existing) throw new TtError('usage', `${email} is already assigned to ${project} for those days.`)
    return transaction
      .insertInto('assignments')
      .values(assignment)
      .returning(['id', 'project_id', 'starts_on', 'ends_on'])
      .executeTakeFirstOrThrow()
  })
}
