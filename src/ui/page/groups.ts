import { capitalize } from '../../lib/text/capitalize.js'
import { type Html, html } from '../../lib/text/html.js'
import { listText } from '../../lib/text/list-text.js'
import { percentText } from '../../lib/text/percent-text.js'
import type { Group, Report } from '../../report/report-model.js'
import { fillOf } from './charts/patterns.js'
import { figureText, moneyLines, moneyText, numberText, percent, timeTitle } from './figures.js'
import { omissionNote } from './omission.js'
import type { PageModel } from './page-model.js'

/** Returns the totals of all groups as a table; before it, the shares of another grouping. */
export function groupsSection(model: PageModel): Html {
  const { report, shares, sharesBy, roundingNote, omittedGroups } = model
  const by = listText(report.by)
  const columns = columnsOf(model)
  const headers = columns.map(({ kind, title }) => html`<th scope="col" class="figure ${kind}">${title}</th>`)
  const figures = columns.filter(({ isWide }) => !isWide).length
  const rows = report.groups.flatMap((group) =>
    rowsOf(group, columns, { depth: 0, seriesOf: model.seriesOf }),
  )
  return html`${shares.length > 1 && !report.by.includes(sharesBy) ? sharesSection(model) : undefined}<section>
<h2>${timeTitle('Total', report)} by ${by}</h2>
${rateLine(report)}<table class="groups figures${figures}${isMixed(report) ? ' mixed' : ''}">
<thead><tr><th scope="col">${capitalize(by)}</th>${headers}</tr></thead>
<tbody>
${rows}<tr class="total"><th scope="row">Total</th>${cellsOf(report, columns, undefined)}</tr>
</tbody>
</table>
${omissionNote(omittedGroups, 'groups')}${roundingNote === undefined ? undefined : html`<p class="note">${roundingNote}</p>\n`}</section>\n`
}

function sharesSection({ report, shares, sharesBy, seriesOf }: PageModel): Html {
  const rows = shares.map(({ label, text, share, percent }) => {
    const bar = shareBar(share, seriesOf({ by: sharesBy, label }))
    return html`<tr><th scope="row"><bdi>${label}</bdi></th><td class="figure time">${figureText(text)}</td><td class="figure part">${bar}<span>${percent}</span></td></tr>\n`
  })
  return html`<section>
<h2>${timeTitle('Time', report)} by ${sharesBy}</h2>
<table class="groups figures2">
<thead><tr><th scope="col">${capitalize(sharesBy)}</th><th scope="col" class="figure time">${timeTitle('Time', report)}</th><th scope="col" class="figure part">Share</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</section>\n`
}

/** Returns a bar for a share in the colour of its series in the bar chart. */
function shareBar(share: number, series: number | undefined): Html {
  const fill = series === undefined ? html`class="share"` : html`fill="${fillOf(series)}"`
  return html`<svg class="part-bar" aria-hidden="true"><rect ${fill} width="${percent(Math.min(1, share))}" height="100%"/></svg>`
}

interface FigureColumn {
  kind: string
  title: string
  /** Whether narrow screens omit it. */
  isWide?: boolean
  cell(totals: Report | Group, series: number | undefined): Html | Html[] | string
}

/** Whether some time is billable and some is not. */
function isMixed({ isBilled, billableRoundedSeconds, roundedSeconds }: Report): boolean {
  return isBilled && billableRoundedSeconds < roundedSeconds
}

/** Returns the columns; rounded times, rates and amounts only if the report has several of them. */
function columnsOf({ report, hasDecimalDurations, duration, hours }: PageModel): FigureColumn[] {
  const hasBoth = isMixed(report)
  const columns: (FigureColumn | false)[] = [
    { kind: 'count', title: 'Entries', cell: ({ count }) => numberText(count) },
    {
      kind: report.rounding === null ? 'time' : 'time exact',
      title: timeTitle('Time', report),
      cell: ({ seconds }) => figureText(duration(seconds)),
    },
    report.rounding !== null && {
      kind: 'time',
      title: 'Rounded time',
      cell: ({ roundedSeconds }) => figureText(duration(roundedSeconds)),
    },
    (hasBoth || !hasDecimalDurations) && {
      kind: 'hours',
      // The time says the same.
      isWide: !hasBoth,
      title: hasBoth ? 'Billable hours' : 'Hours',
      cell: ({ roundedSeconds, billableRoundedSeconds }) =>
        figureText(hours(hasBoth ? billableRoundedSeconds : roundedSeconds)),
    },
    report.groups.length > 1 && {
      kind: 'part',
      title: 'Share',
      cell: shareCell,
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

function shareCell(totals: Report | Group, series: number | undefined): Html | string {
  return 'share' in totals
    ? html`${shareBar(totals.share, series)}<span>${percentText(totals.share)}</span>`
    : ''
}

function hasRates({ rate, groups }: Report | Group): boolean {
  return rate !== null || groups.some(hasRates)
}

/** Returns the rate of all time, if there is only one. */
function rateLine({ rate }: Report): Html | undefined {
  if (!rate) return undefined
  return html`<ul class="common">\n<li>Rate: <b>${moneyText(rate)} an hour</b></li>\n</ul>\n`
}

interface RowPlace {
  depth: number
  seriesOf: PageModel['seriesOf']
  /** The series of the group around it. */
  series?: number | undefined
}

/** Returns the row of a group, then the indented rows of its subgroups, which have the colour of their group. */
function rowsOf(group: Group, columns: FigureColumn[], { depth, seriesOf, ...around }: RowPlace): Html[] {
  const series = seriesOf(group) ?? around.series
  const kind = `depth${Math.min(depth, 3)}${group.groups.length > 0 ? ' strong' : ''}`
  const row = html`<tr class="${kind}"><th scope="row"><bdi>${group.label}</bdi>${group.running ? html` <small>running</small>` : undefined}</th>${cellsOf(group, columns, series)}</tr>\n`
  return [
    row,
    ...group.groups.flatMap((inner) => rowsOf(inner, columns, { depth: depth + 1, seriesOf, series })),
  ]
}

function cellsOf(totals: Report | Group, columns: FigureColumn[], series: number | undefined): Html[] {
  return columns.map(({ kind, cell }) => html`<td class="figure ${kind}">${cell(totals, series)}</td>`)
}
