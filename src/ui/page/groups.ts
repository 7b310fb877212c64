import { type Html, html } from '../../lib/text/html.js'
import { capitalize, listText, percentText } from '../../lib/text/words.js'
import type { DisplayedGroup, DisplayedReport } from '../../report/report-model.js'
import { fillOf } from './charts/patterns.js'
import { figureText, moneyLines, moneyText, numberText, percent, timeTitle } from './figures.js'
import { type GroupsRow, groupsTable, omissionNote } from './groups-table.js'
import type { PageModel } from './page-model.js'

/** Returns the totals of all groups as a table; before it, the shares of another grouping. */
export function groupsSection(model: PageModel): Html {
  const { report, shares, sharesBy, roundingNote, omittedGroups } = model
  const by = listText(report.by)
  const columns = columnsOf(model)
  const figures = columns.filter(({ isWide }) => !isWide).length
  const table = groupsTable({
    kind: `groups figures${figures}${isMixed(report) ? ' mixed' : ''}`,
    by: capitalize(by),
    columns,
    rows: [
      ...rowsOf(report.groups, model, columns),
      { label: 'Total', isTotal: true, cells: columns.map(({ cell }) => cell(report, undefined)) },
    ],
  })
  return html`${shares.length > 1 && !report.by.includes(sharesBy) ? sharesSection(model) : undefined}<section>
<h2>${timeTitle('Total', report)} by ${by}</h2>
${rateLine(report)}${table}${omissionNote(omittedGroups, 'groups')}${roundingNote === undefined ? undefined : html`<p class="note">${roundingNote}</p>\n`}</section>\n`
}

function sharesSection({ report, shares, sharesBy, seriesOf }: PageModel): Html {
  const title = timeTitle('Time', report)
  const table = groupsTable({
    kind: 'groups figures2',
    by: capitalize(sharesBy),
    columns: [
      { kind: 'time', title },
      { kind: 'part', title: 'Share' },
    ],
    rows: shares.map(({ label, text, share, percent }) => {
      const bar = shareBar(share, seriesOf({ by: sharesBy, label }))
      return { label, cells: [figureText(text), html`${bar}<span>${percent}</span>`] }
    }),
  })
  return html`<section>
<h2>${title} by ${sharesBy}</h2>
${table}</section>\n`
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
  cell(totals: DisplayedReport | DisplayedGroup, series: number | undefined): Html | Html[] | string
}

/** Whether some time is billable and some is not. */
function isMixed({
  isBilled,
  displayed: { billableRoundedSeconds, roundedSeconds },
}: DisplayedReport): boolean {
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
      cell: ({ displayed }) => figureText(duration(displayed.seconds)),
    },
    report.rounding !== null && {
      kind: 'time',
      title: 'Rounded time',
      cell: ({ displayed }) => figureText(duration(displayed.roundedSeconds)),
    },
    (hasBoth || !hasDecimalDurations) && {
      kind: 'hours',
      // The time says the same.
      isWide: !hasBoth,
      title: hasBoth ? 'Billable hours' : 'Hours',
      cell: ({ displayed: { roundedSeconds, billableRoundedSeconds } }) =>
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

function shareCell(totals: DisplayedReport | DisplayedGroup, series: number | undefined): Html | string {
  return 'share' in totals
    ? html`${shareBar(totals.share, series)}<span>${percentText(totals.share)}</span>`
    : ''
}

function hasRates({ rate, groups }: Pick<DisplayedGroup, 'rate' | 'groups'>): boolean {
  return rate !== null || groups.some(hasRates)
}

/** Returns the rate of all time, if there is only one. */
function rateLine({ rate }: DisplayedReport): Html | undefined {
  if (!rate) return undefined
  return html`<ul class="common">\n<li>Rate: <b>${moneyText(rate)} an hour</b></li>\n</ul>\n`
}

/** Returns the row of each group, then those of its subgroups, which have the colour of their group. */
function rowsOf(
  groups: readonly DisplayedGroup[],
  model: PageModel,
  columns: readonly FigureColumn[],
  { depth, series: around }: { depth: number; series?: number | undefined } = { depth: 0 },
): GroupsRow[] {
  return groups.flatMap((group) => {
    const series = model.seriesOf(group) ?? around
    const { label, running, groups: inner } = group
    const cells = columns.map(({ cell }) => cell(group, series))
    return [
      { label, depth, isParent: inner.length > 0, running, cells },
      ...rowsOf(inner, model, columns, { depth: depth + 1, series }),
    ]
  })
}
