import type { NamedRecord } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { CommandInput } from './shared/command.js'
import { predicatesOf, type WhereOptions } from './shared/options/parse-options.js'
import { namedView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = namedView('clients')

export async function run(ctx: Context, { options }: CommandInput<WhereOptions>): Promise<NamedRecord[]> {
  return (await ctx.reference()).clients(predicatesOf(options))
}
