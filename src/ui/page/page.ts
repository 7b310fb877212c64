import { createHash } from 'node:crypto'
import { dateText } from '../../lib/calendar/period-text.js'
import { type Html, html } from '../../lib/text/html.js'
import { capitalize, listText } from '../../lib/text/words.js'
import type { Money, Report } from '../../report/report-model.js'
import { barsSection } from './charts/bars.js'
import { heatSection } from './charts/heat.js'
import { patternDefinitions } from './charts/patterns.js'
import { entriesSection } from './entries.js'
import { countText, figureText, moneyLines, moneyText } from './figures.js'
import { groupsSection } from './groups.js'
import { groupsTable, omissionNote } from './groups-table.js'
import type {
  ComparisonTable,
  ExpenseRow,
  GridTable,
  PageComparison,
  PageExpenses,
  PageHeader,
  PageModel,
} from './page-model.js'
import { style } from './style.js'

/** Returns the title of the document, which browsers also propose as the name of a file. */
function documentTitle({ title, period, recipient }: PageHeader): string {
  return [title, ...(recipient === null ? [] : [recipient]), period].join(' – ')
}

/** Returns the header: the title, the period, the selection in words, the recipient and the sender. */
function headerSection({ title, period, selection, recipient, sender }: PageHeader): Html {
  const terms = selection.map((text, index) => html`${index > 0 ? ', ' : ''}<bdi>${text}</bdi>`)
  const parties = [
    ...(recipient === null ? [] : [partyOf('For', [recipient])]),
    ...(sender.length === 0 ? [] : [partyOf('From', sender)]),
  ]
  return html`<header>
<div>
<h1><bdi>${title}</bdi></h1>
<p class="period">${period}</p>
${terms.length > 0 ? html`<p class="selection">${terms}</p>\n` : undefined}</div>
${parties.length > 0 ? html`<dl class="parties">\n${parties}</dl>\n` : undefined}</header>
`
}

function partyOf(name: string, lines: readonly string[]): Html {
  const text = lines.map((line, index) => html`${index > 0 ? html`<br>` : undefined}<bdi>${line}</bdi>`)
  return html`<div><dt>${name}</dt><dd>${text}</dd></div>\n`
}

/** Returns the most important figures, amounts before hours; the first is the largest. */
function summarySection({ report, billableParts, comparison, ...model }: PageModel): Html {
  const duration = (length: number) => figureText(model.duration(length))
  const { count, workingDays, targetSince, displayed } = report
  const { seconds, roundedSeconds, averageSeconds, targetSeconds } = displayed
  const balance = model.targetBalance
  const hasBoth = report.rounding !== null
  const entries = countText(count, 'entry', 'entries')
  // Then the billable time is all of the time.
  const isAll = billableParts?.nonBillable.seconds === 0
  const figures: [name: string, value: Html | Html[] | string, note?: string][] = []
  if (model.amounts.length > 0) {
    const note = amountNote(report, model, duration)
    figures.push(
      note === '' ? ['Amount', moneyLines(model.amounts)] : ['Amount', moneyLines(model.amounts), note],
    )
  }
  if (billableParts) {
    const { billable } = billableParts
    const exact = hasBoth ? `exact ${duration(billable.seconds)}` : isAll && entries
    const note = [duration(billable.roundedSeconds), exact].filter(Boolean).join(', ')
    figures.push(['Billable hours', figureText(model.hours(billable.roundedSeconds)), note])
  }
  if (hasBoth)
    figures.push(['Exact time', duration(seconds), entries], ['Rounded time', duration(roundedSeconds)])
  else if (!isAll) figures.push(['Time', duration(seconds), entries])
  const nonBillable = billableParts?.nonBillable
  if (nonBillable && nonBillable.seconds > 0) {
    const value = duration(nonBillable.roundedSeconds)
    figures.push(
      hasBoth ? ['Non-billable', value, `exact ${duration(nonBillable.seconds)}`] : ['Non-billable', value],
    )
  }
  if (averageSeconds !== null)
    figures.push([
      'Average',
      duration(averageSeconds),
      `over ${countText(workingDays, 'working day', 'working days')}`,
    ])
  if (targetSeconds !== null && balance !== null) {
    const note = balance === 0 ? 'on target' : balance > 0 ? 'ahead of the target' : 'behind the target'
    const target = duration(targetSeconds)
    figures.push(
      targetSince === null ? ['Target', target] : ['Target', target, `since ${dateText(targetSince)}`],
    )
    figures.push(['Balance', duration(balance), note])
  }
  if (comparison) {
    const { difference, change, period } = comparison
    const note = `compared with ${period}${change === null ? '' : ` (${change})`}`
    figures.push(['Difference', figureText(difference), note])
  }
  const items = figures.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd>${value}</dd>${note === undefined ? undefined : html`<dd class="note">${note}</dd>`}</div>\n`,
  )
  const running = html`<p class="note">An entry is still running. Its time counts up to the creation of this page.</p>\n`
  return html`<section>
<h2>Summary</h2>
<dl class="summary columns${figures.length < 5 ? figures.length : Math.ceil(figures.length / 2)}">${items}</dl>
${report.running ? running : undefined}</section>\n`
}

/** Returns what an amount consists of, and what it lacks; empty if there is nothing to say. */
function amountNote(
  { amounts, displayed: { unratedSeconds } }: PageModel['report'],
  { expenses, isForClient }: Pick<PageModel, 'expenses' | 'isForClient'>,
  duration: (seconds: number) => string,
): string {
  const listed = (money: readonly Money[]) => money.map(moneyText).join(', ')
  const parts =
    expenses && amounts.length > 0 && `time ${listed(amounts)}; expenses ${listed(expenses.amounts)}`
  const missing =
    unratedSeconds > 0 && !isForClient && `without ${duration(unratedSeconds)} that have no rate`
  return [parts, missing].filter(Boolean).join('; ')
}

/** Returns the tables of both periods and their differences; empty if neither has an entry. */
function comparisonSection({ period, days, count, tables, omittedGroups }: PageComparison): Html {
  if (tables.length === 0) return html``
  return html`<section class="comparison">
<h2>Comparison with ${period}</h2>
${tables.map(comparisonTable)}${omissionNote(omittedGroups, 'groups')}<p class="note">${period}${days}: ${countText(count, 'entry', 'entries')}</p>
</section>\n`
}

function comparisonTable({ kind, title, by, headings, rows }: ComparisonTable): Html {
  return groupsTable({
    kind: `groups figures${headings.length}`,
    caption: title,
    by,
    columns: headings.map((heading) => ({ title: heading, kind })),
    rows: rows.map((row) => ({ ...row, cells: row.cells.map(linesOf) })),
  })
}

function linesOf(lines: readonly string[]): Html[] {
  return lines.map((line, index) => html`${index > 0 ? html`<br>` : undefined}${figureText(line)}`)
}

interface Column {
  kind: keyof ExpenseRow & string
  title: string
  cell(row: ExpenseRow): Html | Html[] | string
}

const name = (text: string | null) => (text === null ? '' : html`<bdi>${text}</bdi>`)

const allColumns: readonly Column[] = [
  { kind: 'date', title: 'Date', cell: ({ date }) => date },
  { kind: 'type', title: 'Type', cell: ({ type }) => name(type) },
  { kind: 'project', title: 'Project', cell: ({ project }) => name(project) },
  { kind: 'notes', title: 'Notes', cell: ({ notes }) => name(notes) },
  { kind: 'amounts', title: 'Amount', cell: ({ amounts }) => moneyLines(amounts) },
]

/** Returns the table of expenses, without columns that are empty. */
function expensesSection({ rows, amounts }: PageExpenses): Html {
  const columns = allColumns.filter(({ kind }) => rows.some((row) => row[kind] !== null))
  const classOf = (kind: string) => (kind === 'amounts' ? 'figure amounts' : kind)
  const headers = columns.map(
    ({ kind, title }) => html`<th scope="col" class="${classOf(kind)}">${title}</th>`,
  )
  const cells = (row: ExpenseRow) =>
    columns.map(({ kind, cell }) => html`<td class="${classOf(kind)}">${cell(row)}</td>`)
  return html`<section>
<h2>Expenses</h2>
<table class="expenses">
<thead><tr>${headers}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${cells(row)}</tr>\n`)}<tr class="total"><th scope="row" colspan="${columns.length - 1}">Total</th><td class="figure amounts">${moneyLines(amounts)}</td></tr>
</tbody>
</table>
</section>\n`
}

/** Upper bound for the rows of a table that paper does not divide, unless it has to. */
const maxShortRows = 25

/** Returns the tables of a grid. On a narrow screen, each scrolls. */
export function gridSection(
  tables: readonly GridTable[],
  {
    duration,
    omittedRows,
    report,
  }: Pick<PageModel, 'duration' | 'omittedRows'> & { report: Pick<Report, 'rounding'> },
): Html {
  const [first] = tables
  if (!first) return html``
  const { by, columnsBy } = first.grid
  const title = `${report.rounding === null ? 'Time' : 'Rounded time'} by ${listText([...by, columnsBy])}`
  return html`<section>
<h2>${title}</h2>
${tables.map((table) => gridTable(table, title, duration))}${omissionNote(omittedRows, 'rows')}</section>\n`
}

function gridTable(
  { grid, name, headings }: GridTable,
  title: string,
  duration: PageModel['duration'],
): Html {
  const { by, rows, total } = grid
  const label = name === null ? title : `${title}, ${name}`
  const kind = rows.length <= maxShortRows ? 'scroll short' : 'scroll'
  const table = groupsTable({
    kind: 'compact',
    caption: name,
    by: capitalize(by.join(', ')),
    columns: [...headings.map((heading) => ({ title: heading })), { title: 'Total', isTotal: true }],
    rows: [...rows, total].map((row) => ({
      ...row,
      isTotal: row === total,
      cells: [...row.cells, row.seconds].map((cell) => (cell === null ? '' : figureText(duration(cell)))),
    })),
  })
  return html`<div class="${kind}" role="region" tabindex="0" aria-label="${label}">
${table}</div>
`
}

/** Minimum length of a map: a shorter map shows no more than the bars. */
const minMapWeeks = 10

/** Upper bound for the size of a page, unless it has all entries. Browsers open it within seconds. */
const maxBytes = 2_500_000

/**
 * Yields a self-contained HTML page about a period in chunks: it has no script and loads no file. It supports light and dark
 * screens, and paper.
 */
export async function* reportPage(model: PageModel): AsyncGenerator<string> {
  const { report } = model
  yield html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${documentTitle(model)}</title>
<link rel="icon" href="data:,">
<style>`.markup
  yield style
  yield html`</style>
</head>
<body>
${patternDefinitions()}<main>
${headerSection(model)}${summarySection(model)}`.markup

  let bytes = 0
  for (const section of sections(model)) {
    bytes += Buffer.byteLength(section)
    yield section
  }
  if (report.count > 0)
    yield* entriesSection(model, model.hasAllEntries ? Number.POSITIVE_INFINITY : maxBytes - bytes)
  yield html`<footer>Made with tt, ${model.createdAt}</footer>
</main>
</body>
</html>
`.markup
}

/** Yields the charts, the groups and the grid. */
function* sections(model: PageModel): Generator<string> {
  const { report, bars, heatMaps } = model
  if (report.count === 0) {
    yield html`<p>No time in this period.</p>\n`.markup
    if (model.comparison) yield comparisonSection(model.comparison).markup
    if (model.expenses) yield expensesSection(model.expenses).markup
    return
  }
  // One bar shows no more than the totals.
  if (bars && bars.maxSeconds > 0 && bars.bars.length > 1) yield barsSection(bars, model).markup
  if (heatMaps.some(({ weeks }) => weeks.length > minMapWeeks)) yield heatSection(heatMaps).markup
  if (report.groups.length > 0) yield groupsSection(model).markup
  if (model.comparison) yield comparisonSection(model.comparison).markup
  if (model.grid) yield gridSection(model.grid, model).markup
  if (model.expenses) yield expensesSection(model.expenses).markup
}

/** Returns the content security policy: only the style of the page, and the empty icon that prevents a request for one. */
function policy(): string {
  const hash = createHash('sha256').update(style).digest('base64')
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`
}
