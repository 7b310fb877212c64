import type { Project } from '../api-client/types.js'
import { byId } from '../catalog/links.js'
import type { Context } from '../cli/context.js'
import type { CommandInput } from './shared/command.js'
import { predicatesOf, type WhereOptions } from './shared/options/parse-options.js'
import { projectView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = projectView

export async function run(ctx: Context, { options }: CommandInput<WhereOptions>): Promise<Project[]> {
  const reference = await ctx.reference()
  const projects = await reference.projects(predicatesOf(options))
  const ids = projects.map(({ client_id }) => client_id)
  const { clients } = await reference.catalogWith('clients', ids)
  const clientById = byId(clients)
  return projects.map((project) => ({
    ...project,
    client: clientById.get(String(project.client_id))?.name ?? null,
  }))
}
