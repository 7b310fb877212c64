import type { Project } from '../api/types.js'
import type { Context } from '../context.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { projectView } from './views/workspace.js'

export const view = projectView

export async function run(ctx: Context, options: WhereOptions): Promise<Project[]> {
  const api = await ctx.api()
  const [projects, clients] = await Promise.all([api.listProjects(predicatesOf(options)), api.listClients()])
  return projects.map((project) => {
    const client = clients.find(({ id }) => String(id) === String(project.client_id))
    return { ...project, client: client?.name ?? null }
  })
}
