import type { DurationDisplay } from '../../../calendar/duration-display.js'
import { isCalendarUnit } from '../../../report/calendar-units.js'
import { type ComparedGroup, type Comparison, differenceOf } from '../../../report/comparison.js'
import { displayedComparison } from '../../../report/displayed-report.js'
import type { Durations, Report, Totals } from '../../../report/report-model.js'
import type { ComparedGroupJson, ComparisonJson } from '../../../shapes/reports.js'
import type { RowsWithView, Summary } from '../../../ui/summary.js'
import type { Column, Style, View } from '../../../ui/view.js'
import {
  changeOf,
  comparedAmounts,
  comparedDurations,
  comparisonFooter,
  minus,
} from '../../report/comparison-text.js'
import { amountIn, amountKey, idColumns, idsOf, titleOf } from './report-columns.js'
import {
  billedColumns,
  billedJson,
  emptyReport,
  flatBilledJson,
  type ReportDurations,
  reportJson,
  roundShare,
  totalsJson,
} from './report-summary.js'

/** A line of a comparison for people: a group with its depth from 0, or the total. */
interface TreeRow extends Pick<ComparedGroup, 'current' | 'compared'> {
  label: string
  /** The dates in the compared period; empty if they are the same, or the row has none. */
  comparedLabel: string
  /** The exact change of the time, "+12.5%"; null without compared time. */
  change: string | null
  depth: number
  isParent: boolean
  /** Returns its JSON. A table of many rows does without. */
  toJson(): Record<string, unknown>
}

/** An innermost group with the path of groups from the top to itself, and with its durations as displayed. */
interface LeafRow extends ComparedGroup {
  path: readonly ComparedGroup[]
  shown: Pick<ComparedGroup, 'current' | 'compared'>
}

/** Returns the forms of a comparison, as `reportSummary` does of a report. */
export function comparisonSummary(comparison: Comparison, { display, isChosen }: ReportDurations): Summary {
  const { current, compared, groups } = comparison
  const displayed = displayedComparison(comparison, display)
  const view = treeView(comparison, displayed, display)
  const rows = treeRows(groups, displayed.groups, current)
  const totals = {
    ...totalsJson(current),
    ...billedJson(current, displayed.current),
    ...comparedJson(current, compared, {}),
  }
  const total: TreeRow = {
    ...{ label: 'Total', comparedLabel: '', change: changeOf(comparison, current), depth: 0, isParent: true },
    ...{ current: displayed.current, compared: displayed.compared, toJson: () => totals },
  }
  const leaves = leafRows(groups, displayed.groups)
  return {
    record: comparisonJson(comparison, displayed),
    tree: { view, rows },
    document: { view, rows: rows.length > 0 ? [...rows, total] : [] },
    flat: { view: leafView(comparison), rows: leaves },
    ...(isChosen ? { csv: csvRows(comparison, leaves, display) } : {}),
  }
}

/** Returns the JSON of the current report. It and its groups also have the keys `compared` and `difference`. */
function comparisonJson({ current, compared, groups }: Comparison, displayed: Comparison): ComparisonJson {
  const { since, until } = compared
  return {
    ...reportJson(current, displayed.current),
    groups: groupsJson(groups, displayed.groups),
    ...comparedJson(current, compared, { since, until }),
  }
}

function groupsJson(
  groups: readonly ComparedGroup[],
  displayed: readonly ComparedGroup[],
): ComparedGroupJson[] {
  return groups.map((group, index) => groupJson(group, displayed[index] ?? group))
}

function groupJson(group: ComparedGroup, displayed: ComparedGroup): ComparedGroupJson {
  const { by, id, currentKey, comparedKey, current, compared, currentShare, comparedShare } = group
  return {
    by,
    key: currentKey,
    id,
    ...totalsJson(current),
    share: roundShare(currentShare),
    ...billedJson(current, displayed.current),
    groups: groupsJson(group.groups, displayed.groups),
    ...comparedJson(current, compared, { key: comparedKey, share: roundShare(comparedShare) }),
  }
}

function comparedJson<Keys extends object>(current: Totals, compared: Totals, keys: Keys) {
  const { running: _, ...difference } = totalsJson({ ...differenceOf(current, compared), running: false })
  return { compared: { ...keys, ...totalsJson(compared) }, difference }
}

/** Returns the rows of groups with their durations as displayed; their records have the exact ones. */
function treeRows(
  groups: readonly ComparedGroup[],
  displayed: readonly ComparedGroup[],
  report: Report,
  depth = 0,
): TreeRow[] {
  return groups.flatMap((group, index) => {
    const shown = displayed[index] ?? group
    const { current, compared, comparedLabel } = shown
    const row: TreeRow = {
      label: group.label ?? 'none',
      comparedLabel: comparedLabel === group.label ? '' : (comparedLabel ?? ''),
      change: changeOf(group, report),
      depth,
      isParent: group.groups.length > 0,
      current,
      compared,
      toJson: () => groupJson(group, shown),
    }
    return [row, ...treeRows(group.groups, shown.groups, report, depth + 1)]
  })
}

function treeView(comparison: Comparison, displayed: Comparison, display: DurationDisplay): View<TreeRow> {
  const { by, rounding } = comparison.current
  const exact: Column<TreeRow> = {
    key: 'seconds',
    title: 'Duration',
    align: 'right',
    isMinor: true,
    text: ({ current }) => display.format(current.seconds),
  }
  return {
    columns: [
      { key: 'key', title: titleOf(by), canShrink: true, text: treeLabel },
      ...(by.some(isCalendarUnit)
        ? [{ ...comparedDates, isMinor: !hasUnmatchedDates(comparison.groups) }]
        : []),
      ...(rounding ? [exact] : []),
      ...comparedDurations(comparison, display),
      { key: 'change', title: 'Change', align: 'right', isMinor: true, text: ({ change }) => change ?? '' },
      ...comparedAmounts(comparison),
    ],
    json: (row) => row.toJson(),
    footer: (_, style) => comparisonFooter(comparison, displayed, display, style),
    empty: emptyReport(comparison.current, ' in either period'),
  }
}

const comparedDates: Column<TreeRow> = {
  key: 'compared_key',
  title: 'Compared with',
  text: ({ comparedLabel }) => comparedLabel,
}

/** Whether a date of the compared period has no counterpart, so that only its own date names it. */
function hasUnmatchedDates(groups: readonly ComparedGroup[]): boolean {
  return groups.some(({ label, groups: inner }) => label === null || hasUnmatchedDates(inner))
}

function treeLabel({ label, depth, isParent, current, compared }: TreeRow, style: Style): string {
  const isRunning = current.running || compared.running
  const name = isParent ? style.bold(label) : label
  return `${'  '.repeat(depth)}${name}${isRunning ? `  ${style.green('running')}` : ''}`
}

function leafRows(
  groups: readonly ComparedGroup[],
  displayed: readonly ComparedGroup[],
  path: readonly ComparedGroup[] = [],
): LeafRow[] {
  return groups.flatMap((group, index) => {
    const groupPath = [...path, group]
    const shown = displayed[index] ?? group
    return group.groups.length > 0
      ? leafRows(group.groups, shown.groups, groupPath)
      : [{ ...group, path: groupPath, shown }]
  })
}

/** The view for CSV and TSV: the columns of the report, those of the compared period, the differences, and the IDs. */
function leafView(
  { current, compared }: Comparison,
  durations: readonly Column<LeafRow>[] = [],
): View<LeafRow> {
  const currencies = currenciesOf(current, compared)
  const units = current.by.filter(isCalendarUnit)
  const figures = [
    ...['seconds', ...(current.rounding ? ['rounded_seconds'] : []), 'count', 'share'],
    ...currencies.map(amountKey),
    ...(current.isBilled ? billableKeys : []),
    ...(current.isBilled && current.rounding ? billableRoundedKeys : []),
  ]
  const keys = [
    ...current.by,
    ...figures,
    ...billedColumns(current).map(({ key }) => key),
    ...[...units, ...figures].map((name) => `compared_${name}`),
    ...figures.filter((name) => name !== 'share').map((name) => `difference_${name}`),
  ]
  return {
    columns: [...keys.map((key) => ({ key, title: key })), ...durations, ...idColumns(current.by)],
    json: (row) => flatJson(row, currencies),
    empty: emptyReport(current, ' in either period'),
  }
}

const billableKeys = ['billable_seconds', 'non_billable_seconds']
const billableRoundedKeys = ['billable_rounded_seconds', 'non_billable_rounded_seconds']

/** Returns the rows for CSV with durations in the chosen format, which add up. */
function csvRows(comparison: Comparison, rows: readonly LeafRow[], display: DurationDisplay): RowsWithView {
  const keys = ['duration', ...(comparison.current.rounding ? ['rounded_duration'] : [])]
  const { columns, json, empty } = leafView(
    comparison,
    ['', 'compared_', 'difference_'].flatMap((prefix) =>
      keys.map((key) => ({ key: prefix + key, title: prefix + key })),
    ),
  )
  const view: View<LeafRow> = {
    columns: columns.map(({ key, title }) => ({ key, title })),
    json(row) {
      const { current, compared } = row.shown
      return {
        ...json(row),
        ...durationTexts(current, display),
        ...withPrefix('compared_', durationTexts(compared, display)),
        ...withPrefix('difference_', signedTexts(durationTexts(differenceOf(current, compared), display))),
      }
    },
    empty,
  }
  return { view, rows: [...rows] }
}

/** Returns texts with real minus signs: text that begins with a hyphen is a formula in spreadsheets, a number is none. */
function signedTexts(texts: Record<string, string>): Record<string, string> {
  const signed = (text: string) => text.replace(/^-(?=.*[hms:])/, minus)
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, signed(text)]))
}

function durationTexts({ seconds, roundedSeconds }: Durations, display: DurationDisplay) {
  return { duration: display.formatPlain(seconds), rounded_duration: display.formatPlain(roundedSeconds) }
}

function flatJson(row: LeafRow, currencies: readonly string[]): Record<string, unknown> {
  const { path, current, compared, currentShare, comparedShare, shown } = row
  const { running: _, ...difference } = flatFigures(
    { ...differenceOf(current, compared), running: false },
    currencies,
  )
  const comparedKeys = path
    .filter(({ by }) => isCalendarUnit(by))
    .map(({ by, comparedKey }) => [by, comparedKey])
  return {
    ...Object.fromEntries(path.map(({ by, currentKey }) => [by, currentKey])),
    ...flatFigures(current, currencies),
    share: roundShare(currentShare),
    ...flatBilledJson(current, shown.current),
    ...withPrefix('compared_', {
      ...Object.fromEntries(comparedKeys),
      ...flatFigures(compared, currencies),
      share: roundShare(comparedShare),
    }),
    ...withPrefix('difference_', difference),
    ...idsOf(path),
  }
}

function flatFigures(totals: Totals, currencies: readonly string[]): Record<string, unknown> {
  const { amounts: _, ...figures } = totalsJson(totals)
  return {
    ...figures,
    ...Object.fromEntries(currencies.map((code) => [amountKey(code), amountIn(totals.amounts, code)])),
  }
}

function withPrefix(prefix: string, record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [prefix + key, value]))
}

function currenciesOf(...reports: Report[]): string[] {
  const codes = reports.flatMap(({ amounts }) => amounts.map(({ currency }) => currency))
  return [...new Set(codes)].sort()
}
