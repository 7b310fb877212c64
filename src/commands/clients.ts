import type { Client } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import { withoutArchived } from './shared/archived.js'
import type { CommandInput } from './shared/command.js'
import { predicatesOf, type WhereOptions } from './shared/options/parse-options.js'
import { clientView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = clientView

/** Returns the clients; archived ones only for a filter of `active`. */
export async function run(ctx: Context, { options }: CommandInput<WhereOptions>): Promise<Client[]> {
  const predicates = predicatesOf(options)
  return withoutArchived(await (await ctx.reference()).clients(predicates), predicates)
}
