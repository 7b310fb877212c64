import { type Html, html } from '../../lib/html.js'
import type { Group, Report } from '../../report/model.js'
import { moneyLines } from './figures.js'
import type { PageModel } from './model.js'
import { sharesChart } from './shares.js'

/** Returns the shares as a chart, and the totals of all groups as a table; in one section if both have the same grouping. */
export function groupsSection({ report, shares, sharesBy, roundingNote, duration }: PageModel): Html {
  const by = report.by.join(' and ')
  const chart = shares.length > 1 ? sharesChart(shares, sharesBy) : undefined
  const chartSection = html`<section>\n<h2>Shares by ${sharesBy}</h2>\n${chart}</section>\n`
  const isSameGrouping = sharesBy === report.by[0]
  const columns = columnsOf(report, duration)
  const headers = columns.map(({ kind, title }) => html`<th scope="col" class="figure ${kind}">${title}</th>`)
  const total = columns.map(({ kind, total: cell }) => html`<td class="figure ${kind}">${cell}</td>`)
  return html`${chart && !isSameGrouping ? chartSection : undefined}<section>
<h2>Totals by ${by}</h2>
${isSameGrouping ? chart : undefined}<table class="groups">
<thead><tr><th scope="col">${capitalize(report.by.join(', '))}</th>${headers}</tr></thead>
<tbody>
${report.groups.flatMap((group) => rowsOf(group, columns, 0))}<tr class="total"><th scope="row">Total</th>${total}</tr>
</tbody>
</table>
${roundingNote === undefined ? undefined : html`<p class="note">${roundingNote}</p>\n`}</section>\n`
}

interface FigureColumn {
  kind: string
  title: string
  cell(group: Group): Html | Html[] | string | number
  total: Html | Html[] | string | number
}

/** Returns the columns; rounded times and amounts only if the report has any. */
function columnsOf(report: Report, duration: PageModel['duration']): FigureColumn[] {
  const { seconds, roundedSeconds, amounts, count } = report
  const rounded = {
    kind: 'time',
    title: 'Rounded',
    cell: (group: Group) => duration(group.roundedSeconds),
    total: duration(roundedSeconds),
  }
  const amount = {
    kind: 'amount',
    title: 'Amount',
    cell: (group: Group) => moneyLines(group.amounts),
    total: moneyLines(amounts),
  }
  return [
    { kind: 'count', title: 'Entries', cell: (group) => group.count, total: count },
    { kind: 'time', title: 'Time', cell: (group) => duration(group.seconds), total: duration(seconds) },
    ...(report.rounding ? [rounded] : []),
    {
      kind: 'part',
      title: 'Share',
      cell: ({ share }) => `${(share * 100).toFixed(1)}%`,
      total: seconds > 0 ? '100%' : '',
    },
    ...(amounts.length > 0 ? [amount] : []),
  ]
}

/** Returns the row of a group, then the indented rows of its subgroups. */
function rowsOf(group: Group, columns: FigureColumn[], depth: number): Html[] {
  const cells = columns.map(({ kind, cell }) => html`<td class="figure ${kind}">${cell(group)}</td>`)
  const kind = `depth${Math.min(depth, 3)}${group.groups.length > 0 ? ' strong' : ''}`
  const row = html`<tr class="${kind}"><th scope="row"><bdi>${group.label}</bdi>${group.running ? html` <small>running</small>` : undefined}</th>${cells}</tr>\n`
  return [row, ...group.groups.flatMap((subgroup) => rowsOf(subgroup, columns, depth + 1))]
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
