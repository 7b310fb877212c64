import type { NamedRecord, WireFields } from '../api-client/types.js'
import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { dayOf } from '../lib/calendar/day.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/expenses.js'
import { expenseFilter, expenseJson, type NamedExpense } from '../tracking/entries/expenses/expense.js'
import type { PlannedType } from '../tracking/entries/expenses/expense-names.js'
import type { Expenses } from '../tracking/entries/expenses/expenses.js'
import type { Style, View } from '../ui/view.js'
import { cacheTimeZone, periodOf } from './shared/options/period-options.js'
import { confirmAndDelete } from './shared/prompts/delete-records.js'
import { checkSameContent } from './shared/targets/same-content.js'
import { invoiceMark } from './views/entry.js'
import { emptyList } from './views/record.js'
import { expenseTypeView } from './views/workspace.js'

const expenseView: View<NamedExpense> = {
  columns: [
    { key: 'id', title: 'ID', align: 'right' },
    { key: 'spent_on', title: 'Day' },
    { key: 'amount', title: 'Amount', align: 'right', isFigure: true },
    { key: 'currency', title: 'Currency' },
    { key: 'expense_type', title: 'Type', canShrink: true },
    { key: 'project', title: 'Project', canShrink: true },
    { key: 'notes', title: 'Notes', canShrink: true, text: notesText },
  ],
  json: expenseJson,
  optional: ['local_id'],
  empty: emptyList('expenses', 'tt expenses add 12.50', 'adds one'),
}

function notesText({ pending, invoice, wire }: NamedExpense, style: Style): string {
  return [pending && style.yellow('pending'), invoiceMark(invoice, style), wire.notes]
    .filter(Boolean)
    .join('  ')
}

type Commands = typeof commands.expenses.commands

export const list = {
  allowsUnreadableSettings: true,
  view: expenseView,
  async run(ctx: Context, input: Input<Commands['list']>): Promise<NamedExpense[]> {
    const { options } = input
    const period = periodOf(ctx, input)
    const expenses = await ctx.expenses()
    const { where = {} } = options
    await cacheTimeZone(ctx, where)
    const found = await expenses.list(period, where)
    return found.filter(await expenseFilter(options, expenses.names))
  },
}

export const add = {
  view: expenseView,
  messageReplacesValue: true,
  canQueue: true,
  async run(ctx: Context, { args, options }: Input<Commands['add']>): Promise<NamedExpense> {
    const amount = args.amount ?? options.amount
    if (amount === undefined) {
      throw new TtError('usage', 'Missing required argument "amount".', {
        hint: 'For example: tt expenses add 12.50',
      })
    }
    const expenses = await ctx.expenses()
    const { fields, type } = await fieldsFrom(ctx, expenses, { ...options, amount })
    const { externalId } = options
    const stored = externalId === undefined ? undefined : await findStored(expenses, externalId)
    if (stored) {
      await checkSameContent('expense', stored.wire, {
        ...fields,
        ...(type && { expense_type_id: type.id ?? type.name }),
      })
      const text = `${describe(stored)}, has the external ID ${externalId} and the same content.`
      ctx.terminal.message(`Nothing was added: ${text}`)
      return stored
    }
    const expense = await expenses.add({ spent_on: dayOf(ctx.now), ...fields }, type)
    ctx.terminal.message(`Added ${describe(expense)}.`)
    return expense
  },
}

export const edit = {
  view: expenseView,
  messageReplacesValue: true,
  canQueue: true,
  async run(ctx: Context, { args: { id }, options }: Input<Commands['edit']>): Promise<NamedExpense> {
    const expenses = await ctx.expenses()
    const { fields, type } = await fieldsFrom(ctx, expenses, options)
    if (Object.keys(fields).length === 0 && !type) {
      throw new TtError('usage', 'No changes were specified.', {
        hint: 'Use at least one of --on, --amount, --currency, --type, --project, --notes, --external-id and --field.',
      })
    }
    const [before] = await expenses.withIds([id])
    if (!before) throw new Error(`Expense ${id} was lost.`)
    const expense = await expenses.edit(before, fields, type)
    ctx.terminal.message(`Changed ${describe(expense)}.`)
    return expense
  },
}

export const rm = {
  view: expenseView,
  messageReplacesValue: true,
  canQueue: true,
  async run(ctx: Context, { args: { id: ids } }: Input<Commands['rm']>): Promise<NamedExpense[] | undefined> {
    const expenses = await ctx.expenses()
    const found = await expenses.withIds(ids)
    return confirmAndDelete(ctx, {
      records: found,
      describe,
      remove: (confirmed) => expenses.remove(confirmed),
    })
  },
}

export const types = {
  allowsUnreadableSettings: true,
  view: expenseTypeView,
  async run(ctx: Context, { options }: Input<Commands['types']['commands']['list']>): Promise<NamedRecord[]> {
    return (await ctx.reference()).expenseTypes(options.where ?? {})
  },
}

/** Returns the expense with this external ID: a second one must not be in the history, where its undo would delete the first. */
async function findStored(expenses: Expenses, externalId: string): Promise<NamedExpense | undefined> {
  try {
    return await expenses.findByExternalId(externalId)
  } catch (error) {
    // The service decides when it receives the new expense.
    if (error instanceof TtError) return undefined
    throw error
  }
}

/** Returns the fields of the options, and the expense type, which may not exist yet. */
async function fieldsFrom(
  ctx: Context,
  expenses: Expenses,
  options: Options<Commands['edit']>,
): Promise<{ fields: WireFields; type?: PlannedType }> {
  const named: WireFields = {
    spent_on: options.on,
    ...(options.amount?.(options.currency, ctx.nameOption('--currency')) ?? { currency: options.currency }),
    project_id:
      options.project === undefined ? undefined : (await expenses.names.findProject(options.project)).id,
    notes: options.notes,
    external_id: options.externalId,
  }
  const { field: others = {} } = options
  const type = options.type === undefined ? undefined : await planType(ctx, expenses, options.type)
  const fields = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
  const duplicate = Object.keys(others).find((key) => key in fields || (type && key === 'expense_type_id'))
  if (duplicate === undefined)
    return { fields: await expenses.withStandardDate({ ...fields, ...others }), ...(type && { type }) }
  throw new TtError(
    'usage',
    `${ctx.nameOption('--field')} repeats ${duplicate}, which another option sets.`,
    {
      hint: 'Set it only once.',
    },
  )
}

function describe(expense: NamedExpense): string {
  const { amount, spent_on: day } = expense.wire
  const money = [amount, expense.currency].filter(Boolean).join(' ')
  return `expense ${expense.id}: ${[money, expense.type?.name, day].filter(Boolean).join(', ')}`
}

/** Plans the expense type that the user typed. The local workspace creates a new one, but not for agents. */
async function planType(ctx: Context, { names }: Expenses, typed: string): Promise<PlannedType> {
  if (!ctx.config.profile.canWriteCatalog || ctx.terminal.confirmsCreation) return names.planType(typed)
  const [workspace, database] = [await ctx.workspace(), await ctx.database()]
  return names.planType(typed, async (name) => {
    await workspace.createExpenseType(name)
    database.afterCommit(() => ctx.terminal.message(`Created the expense type ${name.trim()}.`))
  })
}
