import { countDays } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { capitalize, countText } from '../../lib/text/words.js'
import { type Comparison, differenceOf } from '../../report/comparison.js'
import {
  type BillableDurations,
  billableParts,
  type Durations,
  type Report,
  type Totals,
} from '../../report/report-model.js'
import type { Column, Style } from '../../ui/view.js'
import { figureColumn, type TableRow } from '../views/reports/group-table.js'
import { amountIn, amountKey, moneyText } from '../views/reports/report-columns.js'
import { hasOverlappingGroups, overlapNote, periodText, roundingNote, unratedNote } from './footer.js'

/** The totals of a row in both periods. */
export type BothTotals = Record<'current' | 'compared', Totals & { displayed: BillableDurations }>

export const minus = '−'

/** The durations of a row in both periods as displayed. */
export type BothDurations = Record<'current' | 'compared', { displayed: Durations }>

/**
 * Returns the texts of the durations as displayed: of the current period, of the compared one, and the difference, which
 * adds up as well.
 */
export function comparedDurations(report: Report, display: DurationDisplay) {
  const secondsOf = shownDuration(report)
  return {
    current: ({ current }: BothDurations) => display.format(secondsOf(current.displayed)),
    compared: ({ compared }: BothDurations) => display.format(secondsOf(compared.displayed)),
    difference: ({ current, compared }: BothDurations) =>
      signedDuration(secondsOf(current.displayed) - secondsOf(compared.displayed), display),
  }
}

/** Returns three columns for each currency: the amounts of both periods and the differences. */
export function comparedAmounts<Figures extends BothTotals>(
  comparison: Comparison,
): Column<TableRow<Figures>>[] {
  return differenceOf(comparison.current, comparison.compared).amounts.flatMap(({ currency }) => {
    const key = amountKey(currency)
    const amount = (totals: Pick<Totals, 'amounts'>) => amountIn(totals, currency) ?? ''
    const minor = { isFigure: true, isMinor: true }
    return [
      figureColumn<Figures>(key, currency, ({ current }) => amount(current), minor),
      figureColumn<Figures>(
        `compared_${key}`,
        `Compared ${currency}`,
        ({ compared }) => amount(compared),
        minor,
      ),
      figureColumn<Figures>(
        `difference_${key}`,
        `+/${minus} ${currency}`,
        ({ current, compared }) => signedAmount(amount(differenceOf(current, compared))),
        { isFigure: true },
      ),
    ]
  })
}

/** Returns the exact change of the time of a row or a report, "+12.5%"; null without compared time. */
export function changeOf({ current, compared }: BothTotals, report: Report): string | null {
  const secondsOf = shownDuration(report)
  return changeText(secondsOf(current), secondsOf(compared))
}

function changeText(seconds: number, before: number): string | null {
  return before === 0 ? null : signedPercent(seconds / before - 1)
}

/** Returns the function that selects the duration to compare: the rounded one in a report with rounding. */
function shownDuration({ rounding }: Report): (durations: Durations) => number {
  return rounding ? ({ roundedSeconds }) => roundedSeconds : ({ seconds }) => seconds
}

/** Returns the lines below the table: both periods, and the totals with their differences. Percentages are exact. */
export function comparisonFooter(comparison: Comparison, display: DurationDisplay, style: Style): string {
  const { current, compared } = comparison
  const secondsOf = shownDuration(current)
  const timeOf = (part: (totals: BillableDurations) => Durations) => {
    const of = (totals: BillableDurations) => secondsOf(part(totals))
    const [seconds, before] = [of(current.displayed), of(compared.displayed)]
    const percentage = changeText(of(current), of(compared))
    const change = percentage === null ? '' : ` (${percentage})`
    const difference = style.bold(signedDuration(seconds - before, display))
    return `${display.format(seconds)}, compared with ${display.format(before)}: ${difference}${change}`
  }
  const figures = [['Total', timeOf((totals) => totals)]]
  if (current.isBilled) {
    figures.push(
      ['Billable', timeOf((totals) => billableParts(totals).billable)],
      ['Non-billable', timeOf((totals) => billableParts(totals).nonBillable)],
    )
  }
  if (hasMoney(comparison)) figures.push(['Amount', amountText(comparison, style)])
  const width = current.isBilled ? 14 : 9
  return [
    capitalize(periodLine(current, compared)),
    `Compared with ${periodLine(compared, current)}`,
    ...figures.map(([name = '', figure]) => `${name.padEnd(width)}${figure}`),
    ...unratedNote(current.displayed, display),
    ...(current.rounding?.of === 'groups' ? [roundingNote(current)] : []),
    ...(hasOverlappingGroups(current) ? [overlapNote] : []),
  ].join('\n')
}

export function hasMoney({ current, compared }: Comparison): boolean {
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
export function differenceText({ current, compared }: BothTotals): string {
  const { amounts } = differenceOf(current, compared)
  return moneyText(amounts.map(({ currency, amount }) => ({ currency, amount: signedAmount(amount) })))
}

function signedAmount(amount: string): string {
  return `${signOf(Number(amount))}${amount.replace('-', '')}`
}
