import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { capitalize, countText } from '../../lib/text/words.js'
import {
  billableParts,
  type DisplayedReport,
  type Durations,
  type Report,
  targetBalance,
} from '../../report/report-model.js'
import { plainStyle, type Style } from '../../ui/view.js'
import { moneyText } from '../views/reports/report-columns.js'

const labelWidth = 9

/** Returns the lines below the table: the period, the totals, the amount, the average and the target. */
export function reportFooter(
  report: DisplayedReport,
  display: DurationDisplay,
  style: Style = plainStyle,
): string {
  const { count, running, amounts, displayed } = report
  const { averageSeconds } = displayed
  const entries = `${countText(count, 'entry', 'entries')}${running ? ', one running' : ''}`
  const time = ({ seconds, roundedSeconds }: Durations) => {
    const rounded = report.rounding ? `, rounded ${style.bold(display.format(roundedSeconds))}` : ''
    return `${style.bold(display.format(seconds))}${rounded}`
  }
  const figures: [name: string, figure: string | undefined][] = [
    ['Total', time(displayed)],
    ['Billable', report.isBilled ? billableText(report, time) : undefined],
    ['Amount', amounts.length > 0 ? style.bold(moneyText(amounts)) : undefined],
    ['Average', averageSeconds === null ? undefined : averageText(display.format(averageSeconds), report)],
    ['Target', targetText(report, display)],
  ]
  const period = periodText(report)
  return [
    period ? `${capitalize(period)}: ${entries}` : `All time: ${entries}`,
    ...figures.flatMap(([name, figure]) =>
      figure === undefined ? [] : `${name.padEnd(labelWidth)}${figure}`,
    ),
    ...unratedNote(displayed, display),
    ...earlierDayNote(report, display),
    ...(report.rounding?.of === 'groups' ? [roundingNote(report)] : []),
    ...(hasOverlappingGroups(report) ? [overlapNote] : []),
  ].join('\n')
}

/** Returns the note "9h 45m billable have no rate."; none if all billable time has one, or no rates are set. */
export function unratedNote(
  { unratedSeconds }: Pick<Report, 'unratedSeconds'>,
  display: DurationDisplay,
): string[] {
  return unratedSeconds > 0 ? [`${display.format(unratedSeconds)} billable have no rate.`] : []
}

/** The most days that the note on entries across midnight names. */
const maxNamedDays = 3

/** Returns the note "Includes time since an earlier day: 2024-05-02 1h 30m."; none without such entries. */
function earlierDayNote({ sinceEarlierDay }: Report, display: DurationDisplay): string[] {
  if (sinceEarlierDay.length === 0) return []
  const named = sinceEarlierDay.slice(0, maxNamedDays)
  const texts = named.map(({ day, seconds }) => `${day} ${display.format(seconds)}`)
  const more = sinceEarlierDay.length - named.length
  return [
    `Includes time since an earlier day: ${[...texts, ...(more > 0 ? [`${more} more days`] : [])].join(', ')}.`,
  ]
}

/** Returns "3h 00m; non-billable 14m", in two lines with rounded durations. */
function billableText(report: DisplayedReport, time: (durations: Durations) => string): string {
  const { billable, nonBillable } = billableParts(report.displayed)
  const separator = report.rounding ? `\n${''.padEnd(labelWidth)}` : '; '
  return `${time(billable)}${separator}non-billable ${time(nonBillable)}`
}

export const overlapNote =
  'Tag groups overlap: an entry counts under each of its tags, and once in the total.'

/** Whether an entry may count in several groups of the same dimension. */
export function hasOverlappingGroups({ by }: Pick<Report, 'by'>): boolean {
  return by.includes('tag')
}

/** Returns a sentence on why totals depend on the grouping, or amounts differ from displayed hours × rate. */
export function roundingNote({ amounts, rounding }: Report): string | undefined {
  if (rounding?.of === 'groups') return 'Rounded per group: the totals depend on the grouping.'
  if (amounts.length === 0) return undefined
  const statement = 'Each amount is a sum of the amounts of single entries'
  if (rounding) return `${statement}.`
  return `${statement}, so it can differ by cents from hours × rate. Rounding each entry avoids this.`
}

function averageText(duration: string, { workingDays, isOver }: Report): string {
  return `${duration} a working day (${isOver ? countText(workingDays, 'day') : `${workingDays} so far`})`
}

function targetText(
  { displayed, targetSince, isOver }: DisplayedReport,
  display: DurationDisplay,
): string | undefined {
  const { targetSeconds } = displayed
  const difference = targetBalance(displayed)
  if (targetSeconds === null || difference === null) return undefined
  const balance =
    difference === 0
      ? 'met exactly'
      : `${display.format(Math.abs(difference))} ${difference > 0 ? 'ahead' : 'behind'}`
  const days = targetSince === null ? (isOver ? '' : ' so far') : ` since ${targetSince}`
  return `${display.format(targetSeconds)}${days}: ${balance}`
}

/** Returns "2024-05-01 to 2024-05-31"; empty without bounds. */
export function periodText({ since, until }: Report): string {
  if (since !== null && until !== null) return since === until ? since : `${since} to ${until}`
  return since !== null ? `from ${since}` : until !== null ? `until ${until}` : ''
}
