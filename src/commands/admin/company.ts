import type { Context } from '../../cli/context.js'
import type { CommandInput } from '../shared/command.js'
import { companyView } from '../views/workspace.js'
import type { DatabaseOptions } from './user.js'

export interface CompanyOptions extends DatabaseOptions {
  name?: string
  currency?: string
  timeZone?: string
}

export const view = companyView

export async function run(ctx: Context, { options }: CommandInput<CompanyOptions>) {
  const { companyOf, updateCompany } = await import('../../service/admin/administration.js')
  const storage = await ctx.storage(options.database)
  const { name, currency, timeZone } = options
  if (name === undefined && currency === undefined && timeZone === undefined) return companyOf(storage)
  return updateCompany(storage, { name, currency: currency?.toUpperCase(), timeZone })
}
