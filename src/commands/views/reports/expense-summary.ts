import { countText } from '../../../lib/text/count-text.js'
import type { ExpenseGroup, ExpenseReport, ExpenseTotals } from '../../../report/expense-tally.js'
import type { ExpenseGroupJson, ExpenseReportJson } from '../../../shapes/reports.js'
import type { Summary } from '../../../ui/summary.js'
import type { Style, View } from '../../../ui/view.js'
import { emptyList } from '../empty-list.js'
import { amountColumns, amountIn, amountKey, idColumns, idsOf, moneyText, titleOf } from './report-columns.js'

/** A group with the path of groups from the top to itself. */
interface Row extends ExpenseGroup {
  path: readonly ExpenseGroup[]
}

/** Returns the forms of an expense report: a tree with subtotals for tables, innermost groups for CSV, an object for JSON. */
export function expenseSummary(report: ExpenseReport): Summary {
  const rows = rowsOf(report.groups)
  const { since, until, count, amounts, by } = report
  const record: ExpenseReportJson = { since, until, count, amounts, by, groups: report.groups.map(groupJson) }
  return {
    record,
    tree: { view: treeView(report), rows },
    flat: { view: leafView(report), rows: rows.filter(({ groups }) => groups.length === 0) },
  }
}

function groupJson({ by, key, id, count, amounts, groups }: ExpenseGroup): ExpenseGroupJson {
  return { by, key, id, count, amounts, groups: groups.map(groupJson) }
}

function rowsOf(groups: readonly ExpenseGroup[], around: readonly ExpenseGroup[] = []): Row[] {
  return groups.flatMap((group) => {
    const path = [...around, group]
    return [{ ...group, path }, ...rowsOf(group.groups, path)]
  })
}

/** The view with a column for each currency. */
function treeView(report: ExpenseReport): View<Row> {
  return {
    columns: [
      { key: 'key', title: titleOf(report.by), canShrink: true, text: treeLabel },
      { key: 'count', title: 'Expenses', align: 'right', isFigure: true },
      ...amountColumns(report.amounts),
    ],
    json: (row) => ({ ...groupJson(row), ...flatAmounts(row, report) }),
    footer: (_, style) => footer(report, style),
    empty: emptyList('expenses', 'tt expenses add 12.50', 'adds one'),
  }
}

function treeLabel({ label, path, groups }: Row, style: Style): string {
  return `${'  '.repeat(path.length - 1)}${groups.length > 0 ? style.bold(label) : label}`
}

/** The view for CSV and TSV, with a column for each dimension, each currency and, at the end, each ID. */
function leafView(report: ExpenseReport): View<Row> {
  return {
    columns: [
      ...report.by.map((word) => ({ key: word, title: titleOf([word]) })),
      { key: 'count', title: 'Expenses', align: 'right', isFigure: true },
      ...amountColumns(report.amounts),
      ...idColumns(report.by),
    ],
    json: (row) => ({
      ...Object.fromEntries(row.path.map(({ by, key }) => [by, key])),
      count: row.count,
      ...flatAmounts(row, report),
      ...idsOf(row.path),
    }),
    empty: emptyList('expenses', 'tt expenses add 12.50', 'adds one'),
  }
}

function flatAmounts({ amounts }: ExpenseTotals, report: ExpenseReport): Record<string, string | null> {
  return Object.fromEntries(
    report.amounts.map(({ currency }) => [amountKey(currency), amountIn(amounts, currency)]),
  )
}

/** "Total from 2024-05-01 until 2024-05-31: 61.40 EUR, 20.00 USD in 4 expenses." */
function footer({ since, until, count, amounts }: ExpenseReport, style: Style): string {
  const from = since === null ? '' : ` from ${since}`
  const to = until === null ? '' : ` until ${until}`
  const period = since !== null && since === until ? ` on ${since}` : `${from}${to}`
  const money = style.bold(moneyText(amounts) || 'nothing')
  return `Total${period}: ${money} in ${countText(count, 'expense')}.`
}
