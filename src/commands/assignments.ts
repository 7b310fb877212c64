import type { Assignment } from '../api/types.js'
import type { Context } from '../context.js'
import { withId } from '../tracking/reference.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { assignmentView } from './views/workspace.js'

export const view = assignmentView

export async function run(ctx: Context, options: WhereOptions): Promise<Assignment[]> {
  const reference = await ctx.reference()
  const assignments = await reference.assignments(predicatesOf(options))
  const { projects } = await reference.catalogWith((lists) =>
    assignments.every(({ project_id: id }) => id === null || withId(lists.projects, id)),
  )
  return assignments.map((assignment) => ({
    ...assignment,
    project: withId(projects, assignment.project_id)?.name ?? null,
  }))
}
