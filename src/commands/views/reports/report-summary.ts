import type { DurationDisplay } from '../../../calendar/duration-display.js'
import { once } from '../../../lib/once.js'
import { percentText } from '../../../lib/text/percent-text.js'
import { decimalHours } from '../../../report/decimal-hours.js'
import { displayedReport } from '../../../report/displayed-report.js'
import {
  billableParts,
  type Durations,
  type Group,
  type RatedTotals,
  type Report,
  type ReportRounding,
  type Totals,
  targetBalance,
} from '../../../report/report-model.js'
import type { GroupJson, ReportJson, TotalsJson } from '../../../shapes/reports.js'
import type { RowsWithView, Summary } from '../../../ui/summary.js'
import type { Column, Style, View } from '../../../ui/view.js'
import { hasOverlappingGroups, periodText, reportFooter } from '../../report/footer.js'
import { emptyList } from '../empty-list.js'
import { amountColumns, amountIn, amountKey, idColumns, idsOf, titleOf } from './report-columns.js'

/** An innermost group with the path of groups from the top to itself, and with its durations as displayed. */
interface LeafRow extends Group {
  path: readonly Group[]
  shown: Durations & BillableDurations
}

type BillableDurations = Pick<Totals, 'billableRoundedSeconds'>

/** A line of a report for people: a group with its depth from 0, or a total. */
interface TreeRow extends Durations, Pick<Totals, 'running' | 'amounts'> {
  label: string
  depth: number
  isParent: boolean
  /** null for the parts of a total. */
  count: number | null
  /** null for the total: displayed shares do not always add up. */
  share: number | null
  /** Returns its JSON. A table of many rows does without. */
  toJson(): Record<string, unknown>
}

/** Returns the forms of a report: a tree with subtotals for tables, innermost groups for CSV, an object for JSON. */
export function reportSummary(report: Report, { display, isChosen }: ReportDurations): Summary {
  const displayed = once(() => displayedReport(report, display))
  const leaves = once(() => leafRows(report.groups, displayed().groups))
  const tree = once(() => ({
    view: treeView(displayed(), display),
    rows: treeRows(report.groups, displayed().groups),
  }))
  // Only the requested form is created: each takes much memory for very many groups.
  return {
    get record() {
      return reportJson(report, displayed())
    },
    get tree() {
      const { view, rows } = tree()
      return { view, rows }
    },
    get document() {
      const { view, rows } = tree()
      return { view, rows: [...rows, ...totalRows(report, displayed())] }
    },
    get flat() {
      return { view: leafView(report), rows: leaves() }
    },
    get csv() {
      if (!isChosen) return this.flat
      return csvRows(report, leaves(), display)
    },
  }
}

/** How the durations of a report are displayed. */
export interface ReportDurations {
  display: DurationDisplay
  /** Whether the user chose the format, so that CSV contains the durations in it. */
  isChosen: boolean
  /** Whether the format is decimal hours. */
  isDecimalHours: boolean
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
    groups: groupsJson(report.groups, displayed.groups),
    working_days: workingDays,
    average_seconds: averageSeconds,
    target_seconds: targetSeconds,
    target_since: targetSince,
    balance_seconds: targetBalance(report),
    rounding: roundingJson(report.rounding),
    groups_overlap: hasOverlappingGroups(report),
  }
}

function groupsJson(groups: readonly Group[], displayed: readonly Group[]): GroupJson[] {
  return groups.map((group, index) => groupJson(group, displayed[index] ?? group))
}

function groupJson(group: Group, displayed: Group): GroupJson {
  const { by, key, id, share, groups } = group
  const totals = { ...totalsJson(group), share: roundShare(share), ...billedJson(group, displayed) }
  return { by, key, id, ...totals, groups: groupsJson(groups, displayed.groups) }
}

/** Returns the decimal hours of displayed durations, and the rate. */
export function billedJson({ rate }: Pick<RatedTotals, 'rate'>, displayed: Durations & BillableDurations) {
  const { roundedSeconds, billableRoundedSeconds } = displayed
  return {
    hours: decimalHours(roundedSeconds),
    billable_hours: decimalHours(billableRoundedSeconds),
    rate,
  }
}

/** Returns the same for a line, with the columns of `billedColumns`. */
export function flatBilledJson(totals: Pick<RatedTotals, 'rate'>, displayed: Durations & BillableDurations) {
  const { rate, ...hours } = billedJson(totals, displayed)
  return { ...hours, rate: rate?.amount ?? null, rate_currency: rate?.currency ?? null }
}

/** Returns the columns for the hours of an innermost group, and for its rate if the report shows what is billable. */
export function billedColumns({ isBilled }: Pick<Report, 'isBilled'>): { key: string; title: string }[] {
  return [
    { key: 'hours', title: 'Hours' },
    ...(isBilled
      ? [
          { key: 'billable_hours', title: 'Billable hours' },
          { key: 'rate', title: 'Rate' },
          { key: 'rate_currency', title: 'Currency' },
        ]
      : []),
  ]
}

/** Returns the JSON keys of totals, of a report or a group. */
export function totalsJson(totals: Totals): TotalsJson {
  const { seconds, roundedSeconds, count, running, amounts } = totals
  return { seconds, rounded_seconds: roundedSeconds, count, running, amounts, ...billableJson(totals) }
}

function billableJson(totals: Totals) {
  const { billable, nonBillable } = billableParts(totals)
  return {
    billable_seconds: billable.seconds,
    billable_rounded_seconds: billable.roundedSeconds,
    non_billable_seconds: nonBillable.seconds,
    non_billable_rounded_seconds: nonBillable.roundedSeconds,
  }
}

function roundingJson(rounding: ReportRounding | null) {
  if (!rounding) return null
  const { single, of } = rounding
  return { step_seconds: single?.stepSeconds ?? null, direction: single?.direction ?? null, of }
}

/** Rounds a share to a hundredth of a per cent. */
export function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

/** Returns the rows of groups with their durations as displayed; their JSON has the exact ones. */
function treeRows(groups: readonly Group[], displayed: readonly Group[], depth = 0): TreeRow[] {
  return groups.flatMap((group, index) => {
    const shown = displayed[index] ?? group
    const { label, running, amounts, seconds, roundedSeconds, count, share } = shown
    const figures = { seconds, roundedSeconds, count, share, running, amounts }
    const isParent = group.groups.length > 0
    const row = { label, ...figures, depth, isParent, toJson: () => groupJson(group, shown) }
    return [row, ...treeRows(group.groups, shown.groups, depth + 1)]
  })
}

/** Returns the total and its billable and non-billable parts. */
function totalRows(report: Report, displayed: Report): TreeRow[] {
  const { count, seconds, roundedSeconds, running, amounts } = displayed
  if (count === 0) return []
  const row = (label: string, figures: Durations & Partial<TreeRow>): TreeRow => ({
    ...{ label, depth: 0, isParent: true, running: false, count: null, amounts: [], share: null },
    toJson: () => ({}),
    ...figures,
  })
  const part = (label: string, figures: Durations & Partial<TreeRow>) =>
    row(label, { ...figures, share: seconds === 0 ? null : figures.seconds / seconds })
  const total = row('Total', {
    seconds,
    roundedSeconds,
    running,
    count,
    amounts,
    toJson: () => ({ ...totalsJson(report), ...billedJson(report, displayed) }),
  })
  if (!report.isBilled) return [total]
  const { billable, nonBillable } = billableParts(displayed)
  return [total, part('Billable', { ...billable, amounts }), part('Non-billable', nonBillable)]
}

function leafRows(
  groups: readonly Group[],
  displayed: readonly Group[],
  path: readonly Group[] = [],
): LeafRow[] {
  return groups.flatMap((group, index) => {
    const groupPath = [...path, group]
    const shown = displayed[index] ?? group
    return group.groups.length > 0
      ? leafRows(group.groups, shown.groups, groupPath)
      : [{ ...group, path: groupPath, shown }]
  })
}

function treeView(report: Report, display: DurationDisplay): View<TreeRow> {
  const duration = (key: string, title: string, secondsOf: (row: TreeRow) => number): Column<TreeRow> => ({
    ...{ key, title, align: 'right' },
    text: (row) => display.format(secondsOf(row)),
  })
  return {
    columns: [
      { key: 'key', title: titleOf(report.by), canShrink: true, text: treeLabel },
      duration('seconds', 'Duration', ({ seconds }) => seconds),
      ...(report.rounding
        ? [duration('rounded_seconds', 'Rounded', ({ roundedSeconds }) => roundedSeconds)]
        : []),
      {
        key: 'share',
        title: 'Share',
        align: 'right',
        isMinor: true,
        text: ({ share }) => (share === null ? '' : percentText(share)),
      },
      {
        ...{ key: 'count', title: 'Entries', align: 'right', isMinor: true, isFigure: true },
        text: ({ count }) => String(count ?? ''),
      },
      ...amountColumns(report.amounts),
    ],
    json: (row) => row.toJson(),
    footer: (_, style) => reportFooter(report, display, style),
    empty: emptyText(report),
  }
}

function treeLabel({ label, depth, running, isParent }: TreeRow, style: Style): string {
  const name = isParent ? style.bold(label) : label
  return `${'  '.repeat(depth)}${name}${running ? `  ${style.green('running')}` : ''}`
}

/** The view for CSV and TSV, with a column for each dimension, each currency and, at the end, each ID. */
function leafView(report: Report, durations: readonly Column<LeafRow>[] = []): View<LeafRow> {
  const currencies = report.amounts.map(({ currency }) => currency)
  return {
    columns: [
      ...report.by.map((word) => ({ key: word, title: titleOf([word]) })),
      { key: 'seconds', title: 'Seconds', align: 'right' },
      ...(report.rounding ? [{ key: 'rounded_seconds', title: 'Rounded', align: 'right' as const }] : []),
      { key: 'count', title: 'Entries', align: 'right' },
      { key: 'share', title: 'Share', align: 'right' },
      ...amountColumns(report.amounts),
      ...(report.isBilled ? billableColumns(report.rounding !== null) : []),
      ...billedColumns(report),
      ...durations,
      ...idColumns(report.by),
    ],
    json: (row) => ({
      ...Object.fromEntries(row.path.map(({ by, key }) => [by, key])),
      ...flatTotals(row),
      share: roundShare(row.share),
      ...Object.fromEntries(currencies.map((code) => [amountKey(code), amountIn(row.amounts, code)])),
      ...flatBilledJson(row, row.shown),
      ...idsOf(row.path),
    }),
    empty: emptyText(report),
  }
}

/** Returns the rows for CSV with durations in the chosen format, which add up. */
function csvRows(report: Report, rows: readonly LeafRow[], display: DurationDisplay): RowsWithView {
  const { columns, json, empty } = leafView(report, [
    { key: 'duration', title: 'Duration' },
    ...(report.rounding ? [{ key: 'rounded_duration', title: 'Rounded' }] : []),
  ])
  const view: View<LeafRow> = {
    columns: columns.map(({ key, title }) => ({ key, title })),
    json: (leaf) => ({
      ...json(leaf),
      duration: display.formatPlain(leaf.shown.seconds),
      rounded_duration: display.formatPlain(leaf.shown.roundedSeconds),
    }),
    empty,
  }
  return { view, rows: [...rows] }
}

function billableColumns(isRounded: boolean): Column<LeafRow>[] {
  return [
    { key: 'billable_seconds', title: 'Billable', align: 'right' },
    { key: 'non_billable_seconds', title: 'Non-billable', align: 'right' },
    ...(isRounded
      ? [
          { key: 'billable_rounded_seconds', title: 'Billable, rounded', align: 'right' as const },
          { key: 'non_billable_rounded_seconds', title: 'Non-billable, rounded', align: 'right' as const },
        ]
      : []),
  ]
}

function flatTotals(totals: Totals): Record<string, unknown> {
  const { seconds, roundedSeconds, count, running } = totals
  return { seconds, rounded_seconds: roundedSeconds, count, running, ...billableJson(totals) }
}

function emptyText(report: Report): string {
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
