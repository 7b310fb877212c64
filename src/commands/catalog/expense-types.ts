import type { ExpenseType } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import type { DatabaseOptions } from '../admin/user.js'
import type { CommandInput } from '../shared/command.js'
import { expenseTypeView } from '../views/workspace.js'
import type { CatalogTarget } from './catalog-command.js'

const loadAdministration = () => import('../../service/admin/administration.js')
const parts = { view: expenseTypeView, messageReplacesValue: true } as const

export const list = {
  view: expenseTypeView,
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>): Promise<ExpenseType[]> {
    const { listExpenseTypes } = await loadAdministration()
    return listExpenseTypes(await ctx.storage(options.database))
  },
}

export const add = {
  ...parts,
  async run(_: Context, { name }: { name: string }, { change }: CatalogTarget): Promise<ExpenseType> {
    const { addExpenseType } = await loadAdministration()
    return change(
      (storage) => addExpenseType(storage, name),
      (type) => `Added the expense type ${type.name}`,
    )
  },
}

export const rename = {
  ...parts,
  async run(
    _: Context,
    { type, name }: { type: string; name: string },
    { change }: CatalogTarget,
  ): Promise<ExpenseType> {
    const { renameExpenseType } = await loadAdministration()
    const { record } = await change(
      (storage) => renameExpenseType(storage, type, name),
      ({ from, to }) => `Renamed the expense type ${from[0]} to ${to[0]}`,
    )
    return record
  },
}

export const archive = {
  ...parts,
  async run(_: Context, { type }: { type: string }, { change }: CatalogTarget): Promise<ExpenseType> {
    const { archiveExpenseType } = await loadAdministration()
    return change(
      (storage) => archiveExpenseType(storage, type),
      ({ name }) => `Archived the expense type ${name}`,
    )
  },
}
