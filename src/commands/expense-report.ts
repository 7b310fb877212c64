import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { countText } from '../lib/text/words.js'
import type { commands } from '../program/declarations/expenses.js'
import type { ExpenseGroupJson, ExpenseReportJson } from '../records/shapes/reports.js'
import {
  type ExpenseGroup,
  type ExpenseReport,
  type ExpenseTotals,
  tallyExpenses,
} from '../report/expense-tally.js'
import { expenseFilter } from '../tracking/entries/expenses/expense.js'
import type { Style, Summary } from '../ui/view.js'
import { cacheTimeZone, periodOf } from './shared/options/period-options.js'
import { emptyList } from './views/record.js'
import { figureColumn, groupSummary } from './views/reports/group-table.js'
import { amountColumns, amountKeys, amountValues, moneyText } from './views/reports/report-columns.js'

/** Returns the forms of an expense report, as `groupSummary` does. */
function expenseSummary(report: ExpenseReport): Summary {
  const { since, until, count, amounts, by, groups } = report
  return groupSummary<ExpenseTotals, ExpenseGroup>({
    by,
    groups,
    record: (): ExpenseReportJson => ({ since, until, count, amounts, by, groups: groups.map(groupJson) }),
    json: (group) => ({ ...groupJson(group), ...amountValues(group, amounts) }),
    columns: [
      figureColumn('count', 'Expenses', ({ count }) => String(count), { isFigure: true }),
      ...amountColumns(amounts),
    ],
    keys: ['count', ...amountKeys(amounts)],
    values: (group) => ({ count: group.count, ...amountValues(group, amounts) }),
    footer: (style) => footer(report, style),
    empty: emptyList('expenses', 'tt expenses add 12.50', 'adds one'),
  })
}

function groupJson({ by, key, id, count, amounts, groups }: ExpenseGroup): ExpenseGroupJson {
  return { by, key, id, count, amounts, groups: groups.map(groupJson) }
}

/** "Total from 2024-05-01 until 2024-05-31: 61.40 EUR, 20.00 USD in 4 expenses." */
function footer({ since, until, count, amounts }: ExpenseReport, style: Style): string {
  const from = since === null ? '' : ` from ${since}`
  const to = until === null ? '' : ` until ${until}`
  const period = since !== null && since === until ? ` on ${since}` : `${from}${to}`
  const money = style.bold(moneyText(amounts) || 'nothing')
  return `Total${period}: ${money} in ${countText(count, 'expense')}.`
}

export const allowsUnreadableSettings = true
export const summary = expenseSummary

export async function run(
  ctx: Context,
  input: Input<typeof commands.expenses.commands.report>,
): Promise<ExpenseReport> {
  const { by, where = {}, ...filters } = input.options
  const { weekStart } = await ctx.config.settings()
  const period = periodOf(ctx, input)
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
