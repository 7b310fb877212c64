import type { Project } from '../api/types.js'
import type { Context } from '../context.js'
import { withId } from '../tracking/reference.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { projectView } from './views/workspace.js'

export const view = projectView

export async function run(ctx: Context, options: WhereOptions): Promise<Project[]> {
  const reference = await ctx.reference()
  const projects = await reference.projects(predicatesOf(options))
  const { clients } = await reference.catalogWith((lists) =>
    projects.every(({ client_id: id }) => id === null || withId(lists.clients, id)),
  )
  return projects.map((project) => ({ ...project, client: withId(clients, project.client_id)?.name ?? null }))
}
