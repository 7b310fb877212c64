import type { NamedRecord } from '../api/types.js'
import type { Context } from '../context.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { namedView } from './views/workspace.js'

export const usesDefaultSettings = true
export const view = namedView('clients')

export async function run(ctx: Context, options: WhereOptions): Promise<NamedRecord[]> {
  return (await ctx.reference()).clients(predicatesOf(options))
}
