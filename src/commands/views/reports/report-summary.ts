import type { DurationDisplay } from '../../../lib/calendar/duration-display.js'
import { percentText } from '../../../lib/text/words.js'
import type { GroupJson, ReportJson, TotalsJson } from '../../../records/shapes/reports.js'
import { decimalHours } from '../../../report/decimal-hours.js'
import { displayedReport } from '../../../report/displayed-report.js'
import {
  type BillableDurations,
  billableParts,
  type DisplayedGroup,
  type DisplayedReport,
  type Durations,
  type Group,
  type Money,
  type RatedTotals,
  type Report,
  type ReportRounding,
  type Totals,
  targetBalance,
} from '../../../report/report-model.js'
import type { Column, Summary } from '../../../ui/view.js'
import { hasOverlappingGroups, periodText, reportFooter } from '../../report/footer.js'
import { emptyList } from '../record.js'
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
interface Figures extends Pick<Totals, 'amounts'> {
  displayed: Durations
  /** null for the parts of a total. */
  count: number | null
  /** null for the total: displayed shares do not always add up. */
  share: number | null
}

/** Returns the forms of a report, as `groupSummary` does. */
export function reportSummary(exact: Report, { display, isChosen }: ReportDurations): Summary {
  const report = displayedReport(exact, display)
  return groupSummary<Figures, DisplayedGroup>({
    by: report.by,
    groups: report.groups,
    record: () => reportJson(report, report.groups.map(groupJson)),
    json: groupJson,
    columns: columnsOf(report, display),
    totals: () => totalRows(report),
    keys: [...figureKeys(report, report.amounts), ...billedKeys(report)],
    values: (group) => ({ ...inColumns(shareJson(group), report.amounts), ...billedValues(group) }),
    csv: isChosen
      ? { keys: durationKeys(report), values: ({ displayed }) => durationTexts(displayed, display) }
      : undefined,
    footer: (style) => reportFooter(report, display, style),
    empty: emptyText(report),
  })
}

/** Returns the JSON of a report with that of its groups (design, section 3). */
export function reportJson<Json extends GroupJson>(report: DisplayedReport, groups: Json[]) {
  const { since, until, by, workingDays, averageSeconds, targetSeconds, targetSince } = report
  return {
    since,
    until,
    ...totalsJson(report),
    ...billedJson(report),
    by,
    groups,
    working_days: workingDays,
    average_seconds: averageSeconds,
    target_seconds: targetSeconds,
    target_since: targetSince,
    balance_seconds: targetBalance(report),
    rounding: roundingJson(report.rounding),
    groups_overlap: hasOverlappingGroups(report),
  } satisfies ReportJson
}

function groupJson(group: DisplayedGroup): GroupJson {
  const { by, key, id, groups } = group
  return { ...{ by, key, id, ...shareJson(group), ...billedJson(group) }, groups: groups.map(groupJson) }
}

type DisplayedTotals = Pick<RatedTotals, 'rate'> & { displayed: BillableDurations }

/** Returns the decimal hours of displayed durations, and the rate. */
export function billedJson({ rate, displayed: { roundedSeconds, billableRoundedSeconds } }: DisplayedTotals) {
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
    figureColumn('seconds', 'Duration', ({ displayed }) => display.format(displayed.seconds)),
    ...(report.rounding
      ? [
          figureColumn<Figures>('rounded_seconds', 'Rounded', ({ displayed }) =>
            display.format(displayed.roundedSeconds),
          ),
        ]
      : []),
    figureColumn('share', 'Share', ({ share }) => (share === null ? '' : percentText(share)), {
      isMinor: true,
    }),
    figureColumn('count', 'Entries', ({ count }) => String(count ?? ''), { isMinor: true, isFigure: true }),
    ...amountColumns(report.amounts),
  ]
}

/** Returns the total and its billable and non-billable parts. */
function totalRows(report: DisplayedReport): TableRow<Figures>[] {
  const { displayed: whole, amounts, running } = report
  const json = { ...totalsJson(report), ...billedJson(report) }
  const total = totalRow<Figures>('Total', { ...report, share: null }, { running, json })
  if (!report.isBilled) return [total]
  const part = (label: string, displayed: Durations, amounts: Money[]) => {
    const share = whole.seconds === 0 ? null : displayed.seconds / whole.seconds
    return totalRow<Figures>(label, { displayed, amounts, count: null, share })
  }
  const { billable, nonBillable } = billableParts(whole)
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
export function billedValues(totals: DisplayedTotals) {
  const { rate, ...hours } = billedJson(totals)
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
