import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/workspace.js'
import type { Link } from '../tracking/catalog/catalog.js'
import { byId } from '../tracking/catalog/links.js'
import { withoutArchived } from './shared/archived.js'
import { taskView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = taskView

/** Returns the tasks that `tt start` accepts; archived ones only for a filter of `active`. */
export async function run(
  ctx: Context,
  { options }: Input<typeof commands.tasks.commands.list>,
): Promise<Link[]> {
  const { where = {} } = options
  const [reference, catalog] = await Promise.all([ctx.reference(), ctx.catalog()])
  const [chosen] = await Promise.all([reference.taskLinks(where), reference.current('catalog')])
  const chosenById = byId(chosen)
  const listed = (await catalog.links()).filter((link) => chosenById.has(String(link.id)))
  return withoutArchived(listed, where)
}
