import type { DurationDisplay } from '../../../lib/calendar/duration-display.js'
import { once } from '../../../lib/once.js'
import { percentText } from '../../../lib/text/percent-text.js'
import type { GroupJson, ReportJson, TotalsJson } from '../../../records/shapes/reports.js'
import { decimalHours } from '../../../report/decimal-hours.js'
import { displayedReport } from '../../../report/displayed-report.js'
import {
  billableParts,
  type Durations,
  type Group,
  type Money,
  type RatedTotals,
  type Report,
  type ReportRounding,
  type Totals,
  targetBalance,
} from '../../../report/report-model.js'
import type { Summary } from '../../../ui/summary.js'
import type { Column } from '../../../ui/view.js'
import { hasOverlappingGroups, periodText, reportFooter } from '../../report/footer.js'
import { emptyList } from '../empty-list.js'
import { figureColumn, groupSummary, type TableRow, totalRow } from './group-table.js'
import { amountColumns, amountKeys, amountValues } from './report-columns.js'

/** How the durations of a report are displayed. */
export interface ReportDurations {
  display: DurationDisplay
  /** Whether the user chose the format, so that CSV contains the durations in it. */
  isChosen: boolean
  /** Whether the format is decimal hours. */
  isDecimalHours: boolean
}

/** The figures of a group or a total. */
interface Figures extends Durations, Pick<Totals, 'amounts'> {
  /** null for the parts of a total. */
  count: number | null
  /** null for the total: displayed shares do not always add up. */
  share: number | null
}

/** Returns the forms of a report, as `groupSummary` does. */
export function reportSummary(report: Report, { display, isChosen }: ReportDurations): Summary {
  const displayed = once(() => displayedReport(report, display))
  return groupSummary<Figures, Group>({
    by: report.by,
    groups: report.groups,
    displayed: () => displayed().groups,
    record: () => reportJson(report, displayed()),
    json: groupJson,
    columns: columnsOf(report, display),
    totals: () => totalRows(report, displayed()),
    keys: [...figureKeys(report, report.amounts), ...billedKeys(report)],
    values: ({ exact, shown }) => ({
      ...inColumns(shareJson(exact), report.amounts),
      ...billedValues(exact, shown),
    }),
    csv: isChosen
      ? { keys: durationKeys(report), values: ({ shown }) => durationTexts(shown, display) }
      : undefined,
    footer: (style) => reportFooter(displayed(), display, style),
    empty: emptyText(report),
  })
}

/** Returns the JSON of a report, whose durations `displayed` has as displayed (design, section 3). */
export function reportJson(report: Report, displayed: Report): ReportJson {
  const { since, until, by, workingDays, averageSeconds, targetSeconds, targetSince } = report
  return {
    since,
    until,
    ...totalsJson(report),
    ...billedJson(report, displayed),
    by,
    groups: report.groups.map((group, index) => groupJson(group, displayed.groups[index])),
    working_days: workingDays,
    average_seconds: averageSeconds,
    target_seconds: targetSeconds,
    target_since: targetSince,
    balance_seconds: targetBalance(report),
    rounding: roundingJson(report.rounding),
    groups_overlap: hasOverlappingGroups(report),
  }
}

function groupJson(group: Group, displayed = group): GroupJson {
  const { by, key, id, groups } = group
  return {
    ...{ by, key, id, ...shareJson(group), ...billedJson(group, displayed) },
    groups: groups.map((inner, index) => groupJson(inner, displayed.groups[index])),
  }
}

type ShownDurations = Durations & Pick<Totals, 'billableRoundedSeconds'>

/** Returns the decimal hours of displayed durations, and the rate. */
export function billedJson({ rate }: Pick<RatedTotals, 'rate'>, displayed: ShownDurations) {
  const { roundedSeconds, billableRoundedSeconds } = displayed
  return {
    hours: decimalHours(roundedSeconds),
    billable_hours: decimalHours(billableRoundedSeconds),
    rate,
  }
}

/** Returns the JSON keys of totals, of a report or a group. */
export function totalsJson(totals: Totals): TotalsJson {
  const { seconds, roundedSeconds, count, running, amounts } = totals
  const { billable, nonBillable } = billableParts(totals)
  return {
    ...{ seconds, rounded_seconds: roundedSeconds, count, running, amounts },
    billable_seconds: billable.seconds,
    billable_rounded_seconds: billable.roundedSeconds,
    non_billable_seconds: nonBillable.seconds,
    non_billable_rounded_seconds: nonBillable.roundedSeconds,
  }
}

/** Returns the same with the share. */
export function shareJson(totals: Totals & Pick<Group, 'share'>) {
  return { ...totalsJson(totals), share: roundShare(totals.share) }
}

/** Rounds a share to a hundredth of a per cent. */
export function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

function roundingJson(rounding: ReportRounding | null) {
  if (!rounding) return null
  const { single, of } = rounding
  return { step_seconds: single?.stepSeconds ?? null, direction: single?.direction ?? null, of }
}

function columnsOf(report: Report, display: DurationDisplay): Column<TableRow<Figures>>[] {
  return [
    figureColumn('seconds', 'Duration', ({ seconds }) => display.format(seconds)),
    ...(report.rounding
      ? [figureColumn<Figures>('rounded_seconds', 'Rounded', (row) => display.format(row.roundedSeconds))]
      : []),
    figureColumn('share', 'Share', ({ share }) => (share === null ? '' : percentText(share)), {
      isMinor: true,
    }),
    figureColumn('count', 'Entries', ({ count }) => String(count ?? ''), { isMinor: true, isFigure: true }),
    ...amountColumns(report.amounts),
  ]
}

/** Returns the total and its billable and non-billable parts. */
function totalRows(report: Report, displayed: Report): TableRow<Figures>[] {
  const { seconds, amounts, running } = displayed
  const row = (label: string, figures: Figures, more?: Parameters<typeof totalRow>[2]) =>
    totalRow<Figures>(label, { exact: figures, shown: figures }, more)
  const json = { ...totalsJson(report), ...billedJson(report, displayed) }
  const total = row('Total', { ...displayed, share: null }, { running, json })
  if (!report.isBilled) return [total]
  const part = (label: string, durations: Durations, amounts: Money[]) =>
    row(label, {
      ...durations,
      ...{ amounts, count: null, share: seconds === 0 ? null : durations.seconds / seconds },
    })
  const { billable, nonBillable } = billableParts(displayed)
  return [total, part('Billable', billable, amounts), part('Non-billable', nonBillable, [])]
}

/** Returns the columns for programs of the figures of a group in one period. */
export function figureKeys({ rounding, isBilled }: Report, amounts: readonly Money[]): string[] {
  return [
    ...['seconds', ...(rounding ? ['rounded_seconds'] : []), 'count', 'share'],
    ...amountKeys(amounts),
    ...(isBilled ? ['billable_seconds', 'non_billable_seconds'] : []),
    ...(isBilled && rounding ? ['billable_rounded_seconds', 'non_billable_rounded_seconds'] : []),
  ]
}

/** Returns the JSON of totals with a column for each currency of `amounts`. */
export function inColumns<Json extends Pick<Totals, 'amounts'>>(json: Json, amounts: readonly Money[]) {
  const { amounts: _, ...figures } = json
  return { ...figures, ...amountValues(json, amounts) }
}

/** Returns the columns for the hours of an innermost group, and for its rate if the report shows what is billable. */
export function billedKeys({ isBilled }: Pick<Report, 'isBilled'>): string[] {
  return isBilled ? ['hours', 'billable_hours', 'rate', 'rate_currency'] : ['hours']
}

/** Returns the figures for these columns. */
export function billedValues(totals: Pick<RatedTotals, 'rate'>, displayed: ShownDurations) {
  const { rate, ...hours } = billedJson(totals, displayed)
  return { ...hours, rate: rate?.amount ?? null, rate_currency: rate?.currency ?? null }
}

/** Returns the columns of CSV for durations in the chosen format, which add up. */
export function durationKeys({ rounding }: Report): string[] {
  return ['duration', ...(rounding ? ['rounded_duration'] : [])]
}

/** Returns displayed durations for these columns. */
export function durationTexts({ seconds, roundedSeconds }: Durations, display: DurationDisplay) {
  return { duration: display.formatPlain(seconds), rounded_duration: display.formatPlain(roundedSeconds) }
}

/** Returns the message for a report without entries. */
export function emptyText(report: Report): string {
  const period = periodText(report)
  const joint =
    report.since !== null && report.until !== null ? (report.since === report.until ? 'on ' : 'from ') : ''
  return emptyReport(report, period && ` ${joint}${period}`)
}

/** Returns the message for a report without entries in the period that `periodText` names. */
export function emptyReport({ isFiltered }: Pick<Report, 'isFiltered'>, periodText: string): string {
  return isFiltered
    ? emptyList(`matching entries${periodText}`, 'tt log all', 'lists all')
    : emptyList(`entries${periodText}`, 'tt add TASK 9:00-11:30', 'adds one')
}
