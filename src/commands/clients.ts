import type { Client } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { CommandInput } from './shared/command.js'
import { predicatesOf, type WhereOptions } from './shared/options/parse-options.js'
import { clientView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = clientView

export async function run(ctx: Context, { options }: CommandInput<WhereOptions>): Promise<Client[]> {
  return (await ctx.reference()).clients(predicatesOf(options))
}
