import type { Context } from '../context.js'
import type { Link } from '../tracking/catalog.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { linkView } from './views/workspace.js'

export const view = linkView

export async function run(ctx: Context, options: WhereOptions): Promise<Link[]> {
  const [api, catalog] = await Promise.all([ctx.api(), ctx.catalog()])
  const links = await catalog.links()
  if (options.where === undefined) return links
  const chosen = new Set((await api.listTaskLinks(predicatesOf(options))).map((link) => String(link.id)))
  return links.filter((link) => chosen.has(String(link.id)))
}
