import type { Context } from '../context.js'
import { type Link, linkOf } from '../tracking/catalog.js'
import { linkView } from './views/workspace.js'

export const view = { ...linkView, empty: 'Nothing was tracked in the last 7 days.' }

export async function run(ctx: Context): Promise<Link[]> {
  const [api, catalog] = await Promise.all([ctx.api(), ctx.catalog()])
  const used = await api.mostUsedTasks()
  const links = await Promise.all(used.map(({ id }) => catalog.byId(id)))
  return used.map((wire, index) => {
    const link = links[index] ?? linkOf(wire, null, null, null)
    return { ...link, wire: { ...link.wire, ...wire } }
  })
}
