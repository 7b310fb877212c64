import { formatDuration } from '../../calendar/duration.js'
import { capitalize } from '../../lib/capitalize.js'
import { countText } from '../../lib/count-text.js'
import type { Group, Report, Totals } from '../../report/model.js'
import type { Summary } from '../../ui/summary.js'
import { type Column, plainStyle, type Style, type View } from '../../ui/view.js'
import { amountIn, amountKey, moneyText, titleOf } from './report-columns.js'

/** A group with its depth from 0 and the path of groups from the top to itself. */
interface Row extends Group {
  depth: number
  path: readonly Group[]
}

/** Returns the forms of a report: a tree with subtotals for tables, innermost groups for CSV, an object for JSON. */
export function reportSummary(report: Report, isRounded: boolean): Summary {
  return {
    record: reportJson(report),
    tree: { view: treeView(report, isRounded), rows: rowsOf(report.groups) },
    flat: {
      view: leafView(report, isRounded),
      rows: rowsOf(report.groups).filter(({ groups }) => groups.length === 0),
    },
  }
}

/** Returns the JSON of a report (design, section 3). */
function reportJson(report: Report): Record<string, unknown> {
  const { since, until, by, workingDays, averageSeconds, targetSeconds } = report
  return {
    since,
    until,
    ...totalsJson(report),
    by,
    groups: report.groups.map(groupJson),
    working_days: workingDays,
    average_seconds: averageSeconds,
    target_seconds: targetSeconds,
    balance_seconds: targetSeconds === null ? null : report.seconds - targetSeconds,
  }
}

function groupJson(group: Group): Record<string, unknown> {
  const { by, key, id, share, groups } = group
  return { by, key, id, ...totalsJson(group), share: roundShare(share), groups: groups.map(groupJson) }
}

function totalsJson({ seconds, roundedSeconds, count, running, amounts }: Totals): Record<string, unknown> {
  return { seconds, rounded_seconds: roundedSeconds, count, running, amounts }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}

/** Rounds a share to a hundredth of a per cent. */
function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000
}

function rowsOf(groups: readonly Group[], path: readonly Group[] = []): Row[] {
  return groups.flatMap((group) => [
    { ...group, depth: path.length, path: [...path, group] },
    ...rowsOf(group.groups, [...path, group]),
  ])
}

function treeView(report: Report, isRounded: boolean): View<Row> {
  const hasMoney = report.amounts.length > 0
  return {
    columns: [
      { key: 'key', title: titleOf(report.by), canShrink: true, text: treeLabel },
      duration('seconds', 'Duration', ({ seconds }) => seconds),
      ...(isRounded ? [duration('rounded_seconds', 'Rounded', ({ roundedSeconds }) => roundedSeconds)] : []),
      { key: 'share', title: 'Share', align: 'right', isMinor: true, text: ({ share }) => percent(share) },
      { key: 'count', title: 'Entries', align: 'right', isMinor: true },
      ...(hasMoney ? [amountColumn] : []),
    ],
    json: (row) => groupJson(row),
    footer: (_, style) => footer(report, isRounded, style),
    empty: emptyText(report),
  }
}

function treeLabel({ label, depth, running, groups }: Row, style: Style): string {
  const name = groups.length > 0 ? style.bold(label) : label
  return `${'  '.repeat(depth)}${name}${running ? `  ${style.green('running')}` : ''}`
}

function duration(key: string, title: string, secondsOf: (row: Row) => number): Column<Row> {
  return { key, title, align: 'right', text: (row) => formatDuration(secondsOf(row)) }
}

const amountColumn: Column<Row> = {
  key: 'amounts',
  title: 'Amount',
  align: 'right',
  text: ({ amounts }) => moneyText(amounts),
}

/** The view for CSV and TSV, with a column for each dimension and each currency. */
function leafView(report: Report, isRounded: boolean): View<Row> {
  const currencies = report.amounts.map(({ currency }) => currency)
  return {
    columns: [
      ...report.by.map((word) => ({ key: word, title: titleOf([word]) })),
      { key: 'seconds', title: 'Seconds', align: 'right' },
      ...(isRounded ? [{ key: 'rounded_seconds', title: 'Rounded', align: 'right' as const }] : []),
      { key: 'count', title: 'Entries', align: 'right' },
      { key: 'share', title: 'Share', align: 'right' },
      ...currencies.map((code) => ({ key: amountKey(code), title: code, align: 'right' as const })),
    ],
    json: (row) => ({
      ...Object.fromEntries(row.path.map(({ by, key }) => [by, key])),
      ...flatTotals(row),
      share: roundShare(row.share),
      ...Object.fromEntries(currencies.map((code) => [amountKey(code), amountIn(row.amounts, code)])),
    }),
    empty: emptyText(report),
  }
}

function flatTotals({ seconds, roundedSeconds, count, running }: Totals): Record<string, unknown> {
  return { seconds, rounded_seconds: roundedSeconds, count, running }
}

/** Returns the lines below the table: the period, the total, the amount, the average and the target. */
function footer(report: Report, isRounded: boolean, style: Style = plainStyle): string {
  const { seconds, roundedSeconds, count, running, amounts, averageSeconds, workingDays } = report
  const entries = `${countText(count, 'entry', 'entries')}${running ? ', one running' : ''}`
  const rounded = isRounded ? `, rounded ${style.bold(formatDuration(roundedSeconds))}` : ''
  const figures: [name: string, figure: string | undefined][] = [
    ['Total', `${style.bold(formatDuration(seconds))}${rounded}`],
    ['Amount', amounts.length > 0 ? style.bold(moneyText(amounts)) : undefined],
    ['Average', averageSeconds === null ? undefined : averageText(averageSeconds, workingDays)],
    ['Target', targetText(report)],
  ]
  const period = periodText(report)
  return [
    period ? `${capitalize(period)}: ${entries}` : `All time: ${entries}`,
    ...figures.flatMap(([name, figure]) => (figure === undefined ? [] : `${name.padEnd(9)}${figure}`)),
  ].join('\n')
}

function averageText(seconds: number, days: number): string {
  return `${formatDuration(seconds)} a working day (${days} so far)`
}

function targetText({ targetSeconds, seconds }: Report): string | undefined {
  if (targetSeconds === null) return undefined
  const difference = seconds - targetSeconds
  const balance =
    difference === 0
      ? 'met exactly'
      : `${formatDuration(Math.abs(difference))} ${difference > 0 ? 'ahead' : 'behind'}`
  return `${formatDuration(targetSeconds)} so far: ${balance}`
}

/** Returns "2024-05-01 to 2024-05-31"; empty without bounds. */
function periodText({ since, until }: Report): string {
  if (since !== null && until !== null) return since === until ? since : `${since} to ${until}`
  return since !== null ? `from ${since}` : until !== null ? `until ${until}` : ''
}

function emptyText(report: Report): string {
  const period = periodText(report)
  const joint =
    report.since !== null && report.until !== null ? (report.since === report.until ? 'on ' : 'from ') : ''
  return `No entries${period && ` ${joint}${period}`}.`
}
