import { countDays } from '../../calendar/day.js'
import type { DurationDisplay } from '../../calendar/duration-display.js'
import { capitalize } from '../../lib/text/capitalize.js'
import { countText } from '../../lib/text/count-text.js'
import { type Comparison, differenceOf } from '../../report/comparison.js'
import {
  billableParts,
  type Durations,
  type Money,
  type Report,
  type Totals,
} from '../../report/report-model.js'
import type { Column, Style } from '../../ui/view.js'
import { moneyText } from '../views/reports/report-columns.js'
import { hasOverlappingGroups, overlapNote, periodText, roundingNote } from './footer.js'

/** The totals of a row in both periods. */
export type BothTotals = Record<'current' | 'compared', Totals>

export const minus = '−'

/**
 * Returns the columns of durations and amounts: of the current period, of the compared one, and the differences. The
 * durations are those of `displayedReport`, so that their differences add up as well.
 */
export function comparedColumns(comparison: Comparison, display: DurationDisplay): Column<BothTotals>[] {
  const { current } = comparison
  const secondsOf = shownDuration(current)
  const durations: Column<BothTotals>[] = [
    {
      key: current.rounding ? 'rounded_seconds' : 'seconds',
      title: current.rounding ? 'Rounded' : 'Duration',
      text: (row) => display.format(secondsOf(row.current)),
    },
    { key: 'compared', title: 'Compared', text: (row) => display.format(secondsOf(row.compared)) },
    {
      key: 'difference',
      title: 'Difference',
      text: (row) => signedDuration(secondsOf(row.current) - secondsOf(row.compared), display),
    },
  ]
  const amounts: Column<BothTotals>[] = [
    { key: 'amounts', title: 'Amount', isMinor: true, text: (row) => moneyText(row.current.amounts) },
    {
      key: 'compared_amounts',
      title: 'Compared amount',
      isMinor: true,
      text: (row) => moneyText(row.compared.amounts),
    },
    { key: 'difference_amounts', title: 'Difference', text: (row) => differenceText(row) },
  ]
  return [...durations, ...(hasMoney(comparison) ? amounts : [])].map((column) => ({
    ...column,
    align: 'right',
  }))
}

/** Returns the difference of the totals, "+1h 30m", and its exact percentage, "+12.5%"; null without compared time. */
export function totalDifference(
  { exact, displayed }: Record<'exact' | 'displayed', Comparison>,
  display: DurationDisplay,
): { difference: string; change: string | null } {
  const secondsOf = shownDuration(exact.current)
  const { current, compared } = displayed
  return {
    difference: signedDuration(secondsOf(current) - secondsOf(compared), display),
    change: changeText(secondsOf(exact.current), secondsOf(exact.compared)),
  }
}

/** Returns "+12.5%"; null if there was no time before. */
function changeText(seconds: number, before: number): string | null {
  return before === 0 ? null : signedPercent(seconds / before - 1)
}

/** Returns the function that selects the duration to compare: the rounded one in a report with rounding. */
function shownDuration({ rounding }: Report): (durations: Durations) => number {
  return rounding ? ({ roundedSeconds }) => roundedSeconds : ({ seconds }) => seconds
}

/** Returns the lines below the table: both periods, and the totals with their differences. Percentages are exact. */
export function comparisonFooter(
  comparison: Comparison,
  displayed: Comparison,
  display: DurationDisplay,
  style: Style,
): string {
  const { current, compared } = comparison
  const secondsOf = shownDuration(current)
  const timeOf = (part: (report: Report) => Durations) => {
    const of = (report: Report) => secondsOf(part(report))
    const [seconds, before] = [of(displayed.current), of(displayed.compared)]
    const percentage = changeText(of(current), of(compared))
    const change = percentage === null ? '' : ` (${percentage})`
    const difference = style.bold(signedDuration(seconds - before, display))
    return `${display.format(seconds)}, compared with ${display.format(before)}: ${difference}${change}`
  }
  const figures = [['Total', timeOf((report) => report)]]
  if (current.isBilled) {
    figures.push(
      ['Billable', timeOf((report) => billableParts(report).billable)],
      ['Non-billable', timeOf((report) => billableParts(report).nonBillable)],
    )
  }
  if (hasMoney(comparison)) figures.push(['Amount', amountText(comparison, style)])
  const width = current.isBilled ? 14 : 9
  return [
    capitalize(periodLine(current, compared)),
    `Compared with ${periodLine(compared, current)}`,
    ...figures.map(([name = '', figure]) => `${name.padEnd(width)}${figure}`),
    ...(current.rounding?.of === 'groups' ? [roundingNote(current)] : []),
    ...(hasOverlappingGroups(current) ? [overlapNote] : []),
  ].join('\n')
}

function hasMoney({ current, compared }: Comparison): boolean {
  return current.amounts.length + compared.amounts.length > 0
}

function amountText(comparison: Comparison, style: Style): string {
  const [amount, before] = [comparison.current, comparison.compared].map(
    ({ amounts }) => moneyText(amounts) || 'none',
  )
  return `${amount}, compared with ${before}: ${style.bold(differenceText(comparison))}`
}

/** Returns "2024-05-06 to 2024-05-07, 2 days: 3 entries"; the number of days only where the other period has another one. */
function periodLine(report: Report, other: Report): string {
  const entries = countText(report.count, 'entry', 'entries')
  return `${periodText(report)}${daysText(report, other)}: ${entries}${report.running ? ', one running' : ''}`
}

/** Returns ", 7 days" if the other period has another number of days, or no end; otherwise empty. */
export function daysText(report: Report, other: Report): string {
  const [days, otherDays] = [report, other].map(({ since, until }) =>
    since === null || until === null ? undefined : countDays(since, until),
  )
  return days === undefined || days === otherDays ? '' : `, ${countText(days, 'day', 'days')}`
}

/** Returns "+1h 30m" or "−20m". */
function signedDuration(seconds: number, display: DurationDisplay): string {
  return `${signOf(seconds)}${display.format(Math.abs(seconds))}`
}

function signOf(value: number): string {
  return value > 0 ? '+' : value < 0 ? minus : ''
}

function signedPercent(share: number): string {
  const text = (Math.abs(share) * 100).toFixed(1)
  return `${Number(text) === 0 ? '' : signOf(share)}${text}%`
}

/** Returns "+12.50 EUR, −20.00 USD". */
function differenceText({ current, compared }: BothTotals): string {
  return differenceOf(current, compared).amounts.map(signedMoney).join(', ')
}

function signedMoney({ currency, amount }: Money): string {
  const sign = signOf(Number(amount))
  return `${sign}${amount.replace('-', '')} ${currency}`
}
