import type { Project } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/workspace.js'
import { byId } from '../tracking/catalog/links.js'
import { withoutArchived } from './shared/archived.js'
import { projectView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = projectView

/** Returns the projects; archived ones only for a filter of `active`. */
export async function run(
  ctx: Context,
  { options }: Input<typeof commands.projects.commands.list>,
): Promise<Project[]> {
  const reference = await ctx.reference()
  const { where = {} } = options
  const projects = withoutArchived(await reference.projects(where), where)
  const ids = projects.map(({ client_id }) => client_id)
  const { clients } = await reference.catalogWith('clients', ids, 0) // They may be newer than the catalog.
  const clientById = byId(clients)
  return projects.map((project) => ({
    ...project,
    client: clientById.get(String(project.client_id))?.name ?? null,
  }))
}
