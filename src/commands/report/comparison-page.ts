import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { periodText } from '../../lib/calendar/period-text.js'
import { capitalize } from '../../lib/text/words.js'
import { type ComparedGroup, type Comparison, differenceOf } from '../../report/comparison.js'
import { billableParts, periodOf, type Report, type Totals } from '../../report/report-model.js'
import type { ComparisonRow, ComparisonTable, PageComparison } from '../../ui/page/page-model.js'
import { groupRows } from '../views/reports/group-table.js'
import { moneyText } from '../views/reports/report-columns.js'
import {
  type BothDurations,
  type BothTotals,
  changeOf,
  comparedDurations,
  daysText,
  differenceText,
  hasMoney,
} from './comparison-text.js'
import { type PageWords, withComparedLabels } from './page-labels.js'
import { comparedGroupsWithinLimit } from './page-limits.js'

/** Returns a comparison for a page, with as many groups as fit. */
export function pageComparison(
  comparison: Comparison,
  display: DurationDisplay,
  words: PageWords,
): PageComparison {
  const { current, compared } = comparison
  const limited = comparedGroupsWithinLimit(comparison.groups)
  const groups = withComparedLabels(limited.groups, words)
  const durations = comparedDurations(current, display)
  return {
    period: wordsOf(compared),
    days: daysText(compared, current),
    count: compared.count,
    difference: durations.difference(comparison),
    change: changeOf(comparison, current),
    tables:
      groups.length === 0
        ? []
        : tablesOf(comparison, groups, (row) => Object.values(durations).map((text) => [text(row)])),
    omittedGroups: limited.omission,
  }
}

function tablesOf(
  comparison: Comparison,
  groups: readonly ComparedGroup[],
  durationCells: (row: BothDurations) => string[][],
): ComparisonTable[] {
  const { current, compared } = comparison
  const table = (
    kind: ComparisonTable['kind'],
    title: string | null,
    cellsOf: (row: BothTotals) => string[][],
    parts: ComparisonRow[] = [],
  ) => ({
    ...{ kind, title, by: capitalize(current.by.join(', ')) },
    headings: [wordsOf(current), wordsOf(compared), 'Difference'],
    rows: [
      ...groupRows(groups).map(({ figures, json: _, ...row }) => {
        const { comparedLabel } = figures()
        const isSame = comparedLabel === row.label
        return { ...row, comparedLabel: isSame ? null : comparedLabel, cells: cellsOf(figures()) }
      }),
      { label: 'Total', isTotal: true, cells: cellsOf(comparison) },
      ...parts,
    ],
  })
  const part = (label: string, name: 'billable' | 'nonBillable') => {
    const of = ({ displayed }: Comparison['current']) => ({ displayed: billableParts(displayed)[name] })
    return { label, cells: durationCells({ current: of(current), compared: of(compared) }) }
  }
  const parts = current.isBilled ? [part('Billable', 'billable'), part('Non-billable', 'nonBillable')] : []
  const hasAmounts = hasMoney(comparison)
  const time = current.rounding ? 'Rounded time' : hasAmounts ? 'Time' : null
  return [
    table('time', time, durationCells, parts),
    ...(hasAmounts ? [table('amount', 'Amount', amountCells)] : []),
  ]
}

/** Returns "April 2024": a period in words within a sentence. */
function wordsOf(report: Report): string {
  return periodText(periodOf(report))
}

function amountCells({ current, compared }: BothTotals): string[][] {
  const texts = [moneyText(amountsWith(current, compared)), moneyText(amountsWith(compared, current))]
  return [...texts, differenceText({ current, compared })].map((text) => text.split(', '))
}

/** Returns the amounts of totals, with 0 in the currencies that only the other ones have. */
function amountsWith(totals: Totals, other: Totals): Totals['amounts'] {
  const zero = { ...other, amounts: differenceOf(other, other).amounts }
  return differenceOf(totals, zero).amounts
}
