import type { Assignment } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/workspace.js'
import { byId } from '../tracking/catalog/links.js'
import { assignmentView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = assignmentView

export async function run(
  ctx: Context,
  { options }: Input<typeof commands.assignments>,
): Promise<Assignment[]> {
  const reference = await ctx.reference()
  const assignments = await reference.assignments(options.where ?? {})
  const ids = assignments.map(({ project_id }) => project_id)
  const { projects } = await reference.catalogWith('projects', ids, 0) // They may be newer than the catalog.
  const projectById = byId(projects)
  return assignments.map((assignment) => ({
    ...assignment,
    project: projectById.get(String(assignment.project_id))?.name ?? null,
  }))
}
