import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { periodText } from '../../lib/calendar/period-text.js'
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
import { figureColumn, groupRows, type TableRow, totalRow } from '../views/reports/group-table.js'
import { moneyText } from '../views/reports/report-columns.js'
import {
  type BothTotals,
  comparedDurations,
  daysText,
  differenceText,
  hasMoney,
  totalDifference,
} from './comparison-text.js'
import { type PageWords, withComparedLabels } from './page-labels.js'
import { comparedGroupsWithinLimit } from './page-limits.js'

type Figures = BothTotals & Partial<Pick<ComparedGroup, 'comparedLabel'>>

/** A row before its figures are formatted. */
type Row = TableRow<Figures> & { isTotal: boolean }

/** Returns a comparison for a page, with as many groups as fit. */
export function pageComparison(
  exact: Comparison,
  display: DurationDisplay,
  words: PageWords,
): PageComparison {
  const displayed = displayedComparison(exact, display)
  const limited = comparedGroupsWithinLimit(displayed.groups)
  const groups = withComparedLabels(limited.groups, words)
  return {
    period: wordsOf(exact.compared),
    days: daysText(exact.compared, exact.current),
    count: exact.compared.count,
    ...totalDifference({ exact, displayed }, display),
    tables: groups.length === 0 ? [] : tablesOf(displayed, groups, comparedDurations(displayed, display)),
    omittedGroups: limited.omission,
  }
}

function tablesOf(
  displayed: Comparison,
  groups: readonly ComparedGroup[],
  durations: readonly Column<Row>[],
): ComparisonTable[] {
  const { current, compared } = displayed
  const hasAmounts = hasMoney(displayed)
  const by = capitalize(current.by.join(', '))
  const headings = [wordsOf(current), wordsOf(compared), 'Difference']
  const rows = [
    ...groupRows<ComparedGroup>(groups).map((row) => ({ ...row, isTotal: false })),
    rowOf('Total', displayed, true),
  ]
  const parts = current.isBilled ? billableRows(displayed) : []
  const time = current.rounding ? 'Rounded time' : hasAmounts ? 'Time' : null
  const table = (kind: ComparisonTable['kind'], title: string | null, lines: ComparisonRow[]) => ({
    ...{ kind, title, by, headings, rows: lines },
  })
  return [
    table(
      'time',
      time,
      [...rows, ...parts].map((row) => pageRow(row, durations)),
    ),
    ...(hasAmounts
      ? [
          table(
            'amount',
            'Amount',
            rows.map((row) => pageRow(row, amountColumns)),
          ),
        ]
      : []),
  ]
}

const amountColumns: Column<Row>[] = [
  figureColumn('current', '', ({ current }) => moneyText(current.amounts)),
  figureColumn('compared', '', ({ compared }) => moneyText(compared.amounts)),
  figureColumn('difference', '', differenceText),
]

/** Returns "April 2024": a period in words within a sentence. */
function wordsOf(report: Report): string {
  return periodText(periodOf(report))
}

function rowOf(label: string, figures: BothTotals, isTotal: boolean): Row {
  return { ...totalRow<Figures>(label, { exact: figures, shown: figures }), isParent: false, isTotal }
}

function billableRows({ current, compared }: Comparison): Row[] {
  const row = (label: string, partOf: (report: Report) => Durations) =>
    rowOf(
      label,
      { current: { ...current, ...partOf(current) }, compared: { ...compared, ...partOf(compared) } },
      false,
    )
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

function pageRow(row: Row, columns: readonly Column<Row>[]): ComparisonRow {
  const { label, depth, isParent, isTotal, running } = row
  const { current, compared, comparedLabel = label } = row.figures().shown
  const both = {
    current: { ...current, amounts: amountsWith(current, compared) },
    compared: { ...compared, amounts: amountsWith(compared, current) },
  }
  const figures = () => ({ exact: both, shown: both })
  return {
    ...{ label, comparedLabel: comparedLabel === label ? null : comparedLabel },
    ...{ depth, isParent, isTotal, running },
    cells: columns.map(({ text }) => (text?.({ ...row, figures }, plainStyle, false) ?? '').split(', ')),
  }
}
