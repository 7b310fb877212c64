import type { DurationDisplay } from '../../../lib/calendar/duration-display.js'
import type { ComparedGroupJson, ComparisonJson } from '../../../records/shapes/reports.js'
import {
  type ComparedGroup,
  type Comparison,
  differenceOf,
  subtractDurations,
} from '../../../report/comparison.js'
import { isCalendarUnit } from '../../../report/keys.js'
import type { Report } from '../../../report/report-model.js'
import type { Column, Summary } from '../../../ui/view.js'
import {
  type BothTotals,
  changeOf,
  comparedAmounts,
  comparedDurations,
  comparisonFooter,
  minus,
} from '../../report/comparison-text.js'
import { figureColumn, groupSummary, type TableRow, totalRow } from './group-table.js'
import {
  billedJson,
  billedKeys,
  billedValues,
  durationKeys,
  durationTexts,
  emptyReport,
  figureKeys,
  inColumns,
  type ReportDurations,
  reportJson,
  roundShare,
  shareJson,
  totalsJson,
} from './report-summary.js'

/** The figures of a group or the total. */
type Figures = BothTotals & Partial<Pick<ComparedGroup, 'label' | 'comparedLabel'>>

/** Returns the forms of a comparison, as `groupSummary` does. */
export function comparisonSummary(comparison: Comparison, { display, isChosen }: ReportDurations): Summary {
  const { current, compared, groups } = comparison
  const { amounts } = differenceOf(current, compared)
  const keys = figureKeys(current, amounts)
  const dates = current.by.filter(isCalendarUnit)
  return groupSummary<Figures, ComparedGroup>({
    by: current.by,
    groups,
    record: () => comparisonJson(comparison),
    json: groupJson,
    columns: columnsOf(comparison, display),
    totals: () => [
      totalRow<Figures>('Total', comparison, {
        running: current.running || compared.running,
        json: totalJson(comparison),
      }),
    ],
    keys: [
      ...keys,
      ...billedKeys(current),
      ...[...dates, ...keys].map((key) => `compared_${key}`),
      ...keys.filter((key) => key !== 'share').map((key) => `difference_${key}`),
    ],
    values: (group, path) => ({
      ...inColumns(shareJson(group.current), amounts),
      ...billedValues(group.current),
      ...withPrefix('compared_', {
        ...comparedDates(path),
        ...inColumns(shareJson(group.compared), amounts),
      }),
      ...withPrefix('difference_', inColumns(differenceJson(group), amounts)),
    }),
    csv: isChosen ? chosenDurations(current, display) : undefined,
    footer: (style) => comparisonFooter(comparison, display, style),
    empty: emptyReport(current, ' in either period'),
  })
}

/** Returns the JSON of the current report. It and its groups also have the keys `compared` and `difference`. */
function comparisonJson(comparison: Comparison): ComparisonJson {
  const { current, compared, groups } = comparison
  const { since, until } = compared
  return {
    ...reportJson(current, groups.map(groupJson)),
    compared: { since, until, ...totalsJson(compared) },
    difference: differenceJson(comparison),
  }
}

function groupJson(group: ComparedGroup): ComparedGroupJson {
  const { by, key, id, comparedKey, current, compared, groups } = group
  return {
    ...{ by, key, id, ...shareJson(current), ...billedJson(current) },
    groups: groups.map(groupJson),
    compared: { key: comparedKey, share: roundShare(compared.share), ...totalsJson(compared) },
    difference: differenceJson(group),
  }
}

function totalJson(comparison: Comparison) {
  const { current, compared } = comparison
  return {
    ...totalsJson(current),
    ...billedJson(current),
    compared: totalsJson(compared),
    difference: differenceJson(comparison),
  }
}

function differenceJson({ current, compared }: BothTotals) {
  const { running: _, ...json } = totalsJson({ ...differenceOf(current, compared), running: false })
  return json
}

function columnsOf(comparison: Comparison, display: DurationDisplay): Column<TableRow<Figures>>[] {
  const { current, groups } = comparison
  const dates = figureColumn<Figures>(
    'compared_key',
    'Compared with',
    ({ label, comparedLabel }) => (comparedLabel === label ? '' : (comparedLabel ?? '')),
    { align: 'left', isMinor: !hasUnmatchedDates(groups) },
  )
  const [key, title] = current.rounding ? ['rounded_seconds', 'Rounded'] : ['seconds', 'Duration']
  const durations = comparedDurations(current, display)
  const exactTime = figureColumn<Figures>(
    'seconds',
    'Duration',
    (row) => display.format(row.current.displayed.seconds),
    { isMinor: true },
  )
  return [
    ...(current.by.some(isCalendarUnit) ? [dates] : []),
    ...(current.rounding ? [exactTime] : []),
    figureColumn(key, title, durations.current),
    figureColumn('compared', 'Compared', durations.compared),
    figureColumn('difference', 'Difference', durations.difference),
    figureColumn('change', 'Change', (row) => changeOf(row, current) ?? '', { isMinor: true }),
    ...comparedAmounts(comparison),
  ]
}

/** Whether a date of the compared period has no counterpart, so that only its own date names it. */
function hasUnmatchedDates(groups: readonly ComparedGroup[]): boolean {
  return groups.some(
    ({ by, key, groups }) => (isCalendarUnit(by) && key === null) || hasUnmatchedDates(groups),
  )
}

/** Returns the columns of CSV for durations in the chosen format, and their values. */
function chosenDurations(report: Report, display: DurationDisplay) {
  const keys = durationKeys(report)
  return {
    keys: ['', 'compared_', 'difference_'].flatMap((prefix) => keys.map((key) => prefix + key)),
    values({ current: { displayed }, compared }: ComparedGroup) {
      const difference = subtractDurations(displayed, compared.displayed)
      return {
        ...durationTexts(displayed, display),
        ...withPrefix('compared_', durationTexts(compared.displayed, display)),
        ...withPrefix('difference_', signedTexts(durationTexts(difference, display))),
      }
    },
  }
}

/** Returns texts with real minus signs: text that begins with a hyphen is a formula in spreadsheets, a number is none. */
function signedTexts(texts: Record<string, string>): Record<string, string> {
  const signed = (text: string) => text.replace(/^-(?=.*[hms:])/, minus)
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, signed(text)]))
}

/** Returns the keys of the dates of a line in the compared period. */
function comparedDates(path: readonly ComparedGroup[]): Record<string, string | null> {
  const dates = path.filter(({ by }) => isCalendarUnit(by))
  return Object.fromEntries(dates.map(({ by, comparedKey }) => [by, comparedKey]))
}

function withPrefix(prefix: string, record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [prefix + key, value]))
}
