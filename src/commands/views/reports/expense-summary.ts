import { countText } from '../../../lib/text/words.js'
import type { ExpenseGroupJson, ExpenseReportJson } from '../../../records/shapes/reports.js'
import type { ExpenseGroup, ExpenseReport, ExpenseTotals } from '../../../report/expense-tally.js'
import type { Summary } from '../../../ui/summary.js'
import type { Style } from '../../../ui/view.js'
import { emptyList } from '../empty-list.js'
import { figureColumn, groupSummary } from './group-table.js'
import { amountColumns, amountKeys, amountValues, moneyText } from './report-columns.js'

/** Returns the forms of an expense report, as `groupSummary` does. */
export function expenseSummary(report: ExpenseReport): Summary {
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
