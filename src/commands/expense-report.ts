import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/expenses.js'
import { type ExpenseReport, tallyExpenses } from '../report/expense-tally.js'
import { expenseFilter } from '../tracking/entries/expenses/expense.js'
import { cacheTimeZone, requestedPeriod } from './shared/options/period-options.js'
import { expenseSummary } from './views/reports/expense-summary.js'

export const allowsUnreadableSettings = true
export const summary = expenseSummary

export async function run(
  ctx: Context,
  input: Input<typeof commands.expenses.commands.report>,
): Promise<ExpenseReport> {
  const { by, where = {}, ...filters } = input.options
  const { weekStart } = await ctx.config.settings()
  const period = requestedPeriod(input, ctx.now, { weekStart }) ?? {}
  const expenses = await ctx.expenses()
  await cacheTimeZone(ctx, where)
  const matching = await expenses.list(period, where)
  const query = { by, period, weekStart }
  const report = tallyExpenses(matching.filter(await expenseFilter(filters, expenses.names)), query)
  const { withoutAmount } = report
  if (withoutAmount.length > 0) {
    const noun = withoutAmount.length === 1 ? 'Expense' : 'Expenses'
    ctx.terminal.warn(
      `${noun} ${withoutAmount.join(', ')}: no amount, so only the count includes ${withoutAmount.length === 1 ? 'it' : 'them'}.`,
    )
  }
  return report
}
