import { capitalize } from '../../lib/text/capitalize.js'
import { type Html, html } from '../../lib/text/html.js'
import { listText } from '../../lib/text/list-text.js'
import { percentText } from '../../lib/text/percent-text.js'
import type { Group, Report } from '../../report/report-model.js'
import { sharesChart } from './charts/shares.js'
import { figureText, moneyLines, moneyText, numberText } from './figures.js'
import { omissionNote } from './omission.js'
import type { PageModel } from './page-model.js'

/** Returns the shares as a chart, and the totals of all groups as a table; in one section if both have the same grouping. */
export function groupsSection(model: PageModel): Html {
  const { report, shares, sharesBy, roundingNote, omittedGroups } = model
  const by = listText(report.by)
  const chart = shares.length > 1 ? sharesChart(shares, sharesBy) : undefined
  const chartSection = html`<section>\n<h2>Shares by ${sharesBy}</h2>\n${chart}</section>\n`
  const isSameGrouping = sharesBy === report.by[0]
  const columns = columnsOf(model)
  const headers = columns.map(({ kind, title }) => html`<th scope="col" class="figure ${kind}">${title}</th>`)
  const figures = columns.filter(({ isWide }) => !isWide).length
  const total = cellsOf(report, columns)
  const rows = report.groups.flatMap((group) => rowsOf(group, columns, 0))
  return html`${chart && !isSameGrouping ? chartSection : undefined}<section>
<h2>Totals by ${by}</h2>
${isSameGrouping ? chart : undefined}${rateLine(report)}<table class="groups figures${figures}">
<thead><tr><th scope="col">${capitalize(report.by.join(', '))}</th>${headers}</tr></thead>
<tbody>
${rows}<tr class="total"><th scope="row">Total</th>${total}</tr>
</tbody>
</table>
${omissionNote(omittedGroups, 'groups')}${roundingNote === undefined ? undefined : html`<p class="note">${roundingNote}</p>\n`}</section>\n`
}

interface FigureColumn {
  kind: string
  title: string
  /** Whether narrow screens omit it. */
  isWide?: boolean
  cell(totals: Report | Group): Html | Html[] | string
}

/** Returns the columns; rounded times, rates and amounts only if the report has several of them. */
function columnsOf({ report, hasDecimalDurations, duration, hours }: PageModel): FigureColumn[] {
  const isMixed = report.isBilled && report.billableRoundedSeconds < report.roundedSeconds
  const columns: (FigureColumn | false)[] = [
    { kind: 'count', title: 'Entries', cell: ({ count }) => numberText(count) },
    { kind: 'time', title: 'Time', cell: ({ seconds }) => figureText(duration(seconds)) },
    report.rounding !== null && {
      kind: 'time',
      title: 'Rounded',
      cell: ({ roundedSeconds }) => figureText(duration(roundedSeconds)),
    },
    (isMixed || !hasDecimalDurations) && {
      kind: 'hours',
      title: isMixed ? 'Billable hours' : 'Hours',
      cell: ({ roundedSeconds, billableRoundedSeconds }) =>
        figureText(hours(isMixed ? billableRoundedSeconds : roundedSeconds)),
    },
    report.groups.length > 1 && {
      kind: 'part',
      isWide: true,
      title: 'Share',
      cell: shareText,
    },
    hasRates(report) &&
      !report.rate && {
        kind: 'rate',
        isWide: true,
        title: 'Rate',
        cell: ({ rate }) => (rate ? moneyText(rate) : ''),
      },
    report.amounts.length > 0 && {
      kind: 'amount',
      title: 'Amount',
      cell: ({ amounts }) => moneyLines(amounts),
    },
  ]
  return columns.filter((column) => column !== false)
}

function shareText(totals: Report | Group): string {
  return 'share' in totals ? percentText(totals.share) : ''
}

function hasRates({ rate, groups }: Report | Group): boolean {
  return rate !== null || groups.some(hasRates)
}

/** Returns the rate of all time, if there is only one. */
function rateLine({ rate }: Report): Html | undefined {
  if (!rate) return undefined
  return html`<ul class="common">\n<li>Rate: <b>${moneyText(rate)} an hour</b></li>\n</ul>\n`
}

/** Returns the row of a group, then the indented rows of its subgroups. */
function rowsOf(group: Group, columns: FigureColumn[], depth: number): Html[] {
  const kind = `depth${Math.min(depth, 3)}${group.groups.length > 0 ? ' strong' : ''}`
  const row = html`<tr class="${kind}"><th scope="row"><bdi>${group.label}</bdi>${group.running ? html` <small>running</small>` : undefined}</th>${cellsOf(group, columns)}</tr>\n`
  return [row, ...group.groups.flatMap((inner) => rowsOf(inner, columns, depth + 1))]
}

function cellsOf(totals: Report | Group, columns: FigureColumn[]): Html[] {
  return columns.map(({ kind, cell }) => html`<td class="figure ${kind}">${cell(totals)}</td>`)
}
