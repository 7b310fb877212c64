import type { DurationDisplay } from '../../calendar/duration-display.js'
import { periodText } from '../../calendar/period-text.js'
import { capitalize } from '../../lib/text/capitalize.js'
import { type ComparedGroup, type Comparison, differenceOf } from '../../report/comparison.js'
import { displayedComparison } from '../../report/displayed-report.js'
import {
  billableParts,
  type Durations,
  periodOf,
  type Report,
  type Totals,
} from '../../report/report-model.js'
import type { ComparisonRow, ComparisonTable, PageComparison } from '../../ui/page/page-model.js'
import { type Column, plainStyle } from '../../ui/view.js'
import { moneyText } from '../views/reports/report-columns.js'
import {
  type BothTotals,
  comparedDurations,
  daysText,
  differenceText,
  hasMoney,
  totalDifference,
} from './comparison-text.js'
import { type PageWords, pageLabel } from './page-labels.js'
import { comparedGroupsWithinLimit } from './page-limits.js'

/** A row with its totals, before its figures are formatted. */
type TotalsRow = Omit<ComparisonRow, 'cells' | 'running'> & BothTotals

/** Returns a comparison for a page, with as many groups as fit. */
export function pageComparison(
  exact: Comparison,
  display: DurationDisplay,
  words: PageWords,
): PageComparison {
  const displayed = displayedComparison(exact, display)
  const limited = comparedGroupsWithinLimit(displayed.groups)
  const rows = groupRows(withLabels(limited.groups, words))
  return {
    period: wordsOf(exact.compared),
    days: daysText(exact.compared, exact.current),
    count: exact.compared.count,
    ...totalDifference({ exact, displayed }, display),
    tables: rows.length === 0 ? [] : tablesOf(displayed, rows, comparedDurations(displayed, display)),
    omittedGroups: limited.omission,
  }
}

function withLabels(groups: readonly ComparedGroup[], words: PageWords): ComparedGroup[] {
  return groups.map((group) => ({
    ...group,
    label: pageLabel(group.by, group.currentKey, words) ?? (group.label && words.textOf(group.label)),
    comparedLabel:
      pageLabel(group.by, group.comparedKey, words) ??
      (group.comparedLabel && words.textOf(group.comparedLabel)),
    groups: withLabels(group.groups, words),
  }))
}

function tablesOf(
  displayed: Comparison,
  groups: readonly TotalsRow[],
  durations: readonly Column<BothTotals>[],
): ComparisonTable[] {
  const { current, compared } = displayed
  const hasAmounts = hasMoney(displayed)
  const by = capitalize(current.by.join(', '))
  const headings = [wordsOf(current), wordsOf(compared), 'Difference']
  const total = totalRow('Total', { current, compared })
  const parts = current.isBilled ? billableRows(displayed) : []
  const time = current.rounding ? 'Rounded time' : hasAmounts ? 'Time' : null
  const rowsWith = (rows: readonly TotalsRow[], figures: readonly Column<BothTotals>[]) =>
    rows.map((row) => formatRow(row, figures))
  const tables: ComparisonTable[] = [
    { kind: 'time', title: time, by, headings, rows: rowsWith([...groups, total, ...parts], durations) },
  ]
  if (hasAmounts)
    tables.push({
      kind: 'amount',
      title: 'Amount',
      by,
      headings,
      rows: rowsWith([...groups, total], amountColumns),
    })
  return tables
}

const amountColumns: Column<BothTotals>[] = [
  { key: 'current', title: '', text: ({ current }) => moneyText(current.amounts) },
  { key: 'compared', title: '', text: ({ compared }) => moneyText(compared.amounts) },
  { key: 'difference', title: '', text: differenceText },
]

/** Returns "April 2024": a period in words within a sentence. */
function wordsOf(report: Report): string {
  return periodText(periodOf(report))
}

function groupRows(groups: readonly ComparedGroup[], depth = 0): TotalsRow[] {
  return groups.flatMap(({ label, comparedLabel, current, compared, groups: inner }) => [
    {
      ...{ label, comparedLabel: comparedLabel === label ? null : comparedLabel },
      ...{ depth, isParent: inner.length > 0, isTotal: false, current, compared },
    },
    ...groupRows(inner, depth + 1),
  ])
}

function totalRow(label: string, totals: BothTotals): TotalsRow {
  return { label, comparedLabel: null, depth: 0, isParent: false, isTotal: true, ...totals }
}

function billableRows({ current, compared }: Comparison): TotalsRow[] {
  const row = (label: string, partOf: (report: Report) => Durations) => ({
    ...totalRow(label, {
      current: { ...current, ...partOf(current) },
      compared: { ...compared, ...partOf(compared) },
    }),
    isTotal: false,
  })
  return [
    row('Billable', (report) => billableParts(report).billable),
    row('Non-billable', (report) => billableParts(report).nonBillable),
  ]
}

/** Returns the amounts of totals, with 0 in the currencies that only the other ones have. */
function amountsWith(totals: Totals, other: Totals): Totals['amounts'] {
  const zero = { ...other, amounts: differenceOf(other, other).amounts }
  return differenceOf(totals, zero).amounts
}

function formatRow(
  { current, compared, ...row }: TotalsRow,
  columns: readonly Column<BothTotals>[],
): ComparisonRow {
  const both = {
    current: { ...current, amounts: amountsWith(current, compared) },
    compared: { ...compared, amounts: amountsWith(compared, current) },
  }
  const textOf = ({ text }: Column<BothTotals>) => text?.(both, plainStyle, false) ?? ''
  return {
    ...row,
    running: !row.isTotal && current.running,
    cells: columns.map((column) => textOf(column).split(', ')),
  }
}
