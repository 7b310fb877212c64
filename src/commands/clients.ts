import type { Client } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/workspace.js'
import { withoutArchived } from './shared/archived.js'
import { clientView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = clientView

/** Returns the clients; archived ones only for a filter of `active`. */
export async function run(
  ctx: Context,
  { options }: Input<typeof commands.clients.commands.list>,
): Promise<Client[]> {
  const { where = {} } = options
  return withoutArchived(await (await ctx.reference()).clients(where), where)
}
