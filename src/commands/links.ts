import type { Link } from '../catalog/catalog.js'
import { byId } from '../catalog/links.js'
import type { Context } from '../cli/context.js'
import type { CommandInput } from './shared/command.js'
import { predicatesOf, type WhereOptions } from './shared/options/parse-options.js'
import { linkView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = linkView

export async function run(ctx: Context, { options }: CommandInput<WhereOptions>): Promise<Link[]> {
  const [reference, catalog] = await Promise.all([ctx.reference(), ctx.catalog()])
  const [chosen] = await Promise.all([
    reference.taskLinks(predicatesOf(options)),
    reference.current('catalog'),
  ])
  const chosenById = byId(chosen)
  return (await catalog.links()).filter((link) => chosenById.has(String(link.id)))
}
