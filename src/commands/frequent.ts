import { type Link, toLink } from '../catalog/links.js'
import type { Context } from '../cli/context.js'
import { taskView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = { ...taskView, empty: 'Nothing was tracked in the last 7 days.' }

export async function run(ctx: Context): Promise<Link[]> {
  const [reference, catalog] = await Promise.all([ctx.reference(), ctx.catalog()])
  const used = await reference.current('frequent')
  const links = await catalog.linksOf(used.map(({ id }) => id))
  return used.map((wire) => {
    const link = links.get(String(wire.id)) ?? toLink(wire, null, null, null)
    return { ...link, wire: { ...link.wire, ...wire } }
  })
}
