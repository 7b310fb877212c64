import type { Assignment } from '../api/types.js'
import type { Context } from '../context.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { assignmentView } from './views/workspace.js'

export const view = assignmentView

export async function run(ctx: Context, options: WhereOptions): Promise<Assignment[]> {
  const api = await ctx.api()
  const [assignments, projects] = await Promise.all([
    api.listAssignments(predicatesOf(options)),
    api.listProjects(),
  ])
  return assignments.map((assignment) => {
    const project = projects.find(({ id }) => String(id) === String(assignment.project_id))
    return { ...assignment, project: project?.name ?? null }
  })
}
