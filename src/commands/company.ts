import type { Company } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import { companyView } from './views/workspace.js'

export const allowsUnreadableSettings = true
export const view = companyView

export async function run(ctx: Context): Promise<Company> {
  return (await ctx.reference()).current('company')
}
