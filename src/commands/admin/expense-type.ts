import type { Context } from '../../cli/context.js'
import type { CommandInput } from '../shared/command.js'
import { expenseTypeView } from '../views/workspace.js'
import type { RecordedChange } from './audited.js'
import type { DatabaseOptions } from './user.js'

const loadAdministration = () => import('../../service/admin/administration.js')

export const add = {
  view: expenseTypeView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { name }, options }: CommandInput<DatabaseOptions, { name: string }>,
    recorded: RecordedChange,
  ) {
    const { addExpenseType } = await loadAdministration()
    const type = await recorded(await ctx.storage(options.database), (storage) =>
      addExpenseType(storage, name),
    )
    ctx.terminal.message(`Added the expense type ${type.name}.`)
    return type
  },
}

export const list = {
  view: expenseTypeView,
  async run(ctx: Context, { options }: CommandInput<DatabaseOptions>) {
    const { listExpenseTypes } = await loadAdministration()
    return listExpenseTypes(await ctx.storage(options.database))
  },
}

export const archive = {
  view: expenseTypeView,
  messageReplacesValue: true,
  async run(
    ctx: Context,
    { args: { name }, options }: CommandInput<DatabaseOptions, { name: string }>,
    recorded: RecordedChange,
  ) {
    const { setExpenseTypeActive } = await loadAdministration()
    const type = await recorded(await ctx.storage(options.database), (storage) =>
      setExpenseTypeActive(storage, name, false),
    )
    ctx.terminal.message(`The expense type ${type.name} is archived.`)
    return type
  },
}
