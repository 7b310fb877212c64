import { isDay } from '../../lib/calendar/day.js'
import { dateText } from '../../lib/calendar/period-text.js'
import { chosenFilters, type EntryFilterOptions, namesFilter } from '../../program/options/entry-filters.js'
import { moneyOf, tallyExpenses } from '../../report/expense-tally.js'
import { separateExcluded } from '../../tracking/entries/excluded-values.js'
import type { NamedExpense } from '../../tracking/entries/expenses/expense.js'
import type { PageExpenses } from '../../ui/page/page-model.js'
import type { ReportContext, ReportQuery } from './report-query.js'

/** The filters that also select expenses; what is billable is about time alone. */
const expenseFilters: readonly (keyof EntryFilterOptions)[] = ['client', 'project', 'billable']

/** Whether the client filter names the clients that a page is for. */
export function namesClients({ client = [] }: Pick<EntryFilterOptions, 'client'>): boolean {
  return separateExcluded(client).included.length > 0
}

/**
 * Returns the expenses of the clients and projects of a page for a client; none on other pages, and with a filter that only
 * entries can meet. Warns about expenses without an amount.
 */
export async function clientExpenses(
  ctx: ReportContext,
  query: ReportQuery,
  options: EntryFilterOptions,
): Promise<NamedExpense[]> {
  const isOfEntries = chosenFilters(options).some(({ key }) => !expenseFilters.includes(key))
  if (!ctx.expenses || !namesClients(options) || isOfEntries) return []
  const matches = namesFilter(options)
  const expenses = await ctx.expenses()
  const found = (await expenses.list(query.days, {})).filter(matches)
  const without = found.filter((expense) => moneyOf(expense).length === 0).map(({ id }) => id)
  if (without.length > 0)
    ctx.terminal.warn(`Expenses without an amount are not in the total: ${without.join(', ')}.`)
  return found
}

/** Returns the table of expenses of a page; undefined without any. */
export function pageExpenses(
  expenses: readonly NamedExpense[],
  query: ReportQuery,
  textOf: (text: string) => string,
): PageExpenses | undefined {
  if (expenses.length === 0) return undefined
  const { amounts } = tallyExpenses(expenses, { by: [], period: query.days, weekStart: query.weekStart })
  return {
    amounts,
    rows: expenses.map((expense) => {
      const { wire, type, project } = expense
      const day = wire.spent_on ?? ''
      return {
        date: isDay(day) ? dateText(day) : day,
        type: type?.name ?? null,
        project: project?.name ?? null,
        notes: wire.notes ? textOf(wire.notes) : null,
        amounts: moneyOf(expense),
      }
    }),
  }
}
