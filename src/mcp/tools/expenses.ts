import { z } from 'zod'
import { commands } from '../../program/declarations/expenses.js'
import * as shapes from '../../records/shapes/entries.js'
import * as inputs from '../inputs.js'
import { defineTool, type Tool } from '../tool.js'

const expensesList = defineTool({
  name: 'expenses_list',
  title: 'List expenses',
  description: 'Lists expenses (default: all). Use it for questions about expenses and to find their IDs.',
  effect: 'read',
  keeps: 'last',
  input: z.strictObject({
    ...inputs.period,
    type: inputs.namesOrIds('Expense type names or IDs', 0).optional(),
    project: inputs.namesOrIds('Project names or IDs', 0).optional(),
  }),
  output: z.array(shapes.expense),
  outputKey: 'expenses',
  command: commands.expenses.commands.list,
})

const expenseAdd = defineTool({
  name: 'expense_add',
  title: 'Add expense',
  description: 'Adds an expense. Use it when the user reports a cost, such as travel or material.',
  effect: 'add',
  input: z.strictObject({
    amount: z
      .union([z.string().min(1), z.number()], { error: 'Expected a decimal number, such as 12.50' })
      .transform(String)
      .describe('Decimal number, such as 12.50'),
    currency: z.string().min(1).describe('Currency (ISO 4217), such as EUR').optional(),
    on: z.string().min(1).describe('Day (default: today), such as yesterday or 2024-05-01').optional(),
    type: inputs.nameOrId('Expense type name or ID').optional(),
    project: inputs.nameOrId('Project name or ID').optional(),
    notes: inputs.notes().optional(),
    external_id: inputs
      .nameOrId('ID of your choice: adding it again adds nothing and returns the stored expense')
      .optional(),
  }),
  output: shapes.expense,
  recordsLike: 'expenses_list',
  outputKey: 'expense',
  command: commands.expenses.commands.add,
})

export const expenseTools: readonly Tool[] = [expensesList, expenseAdd]
