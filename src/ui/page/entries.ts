import { type Html, html } from '../../lib/text/html.js'
import { countText, figureText, moneyLines, moneyText } from './figures.js'
import type { EntryDay, EntryFigures, EntryRow, PageModel } from './page-model.js'

const rowsAtOnce = 200

interface Column {
  kind: keyof EntryRow & string
  title: string
  isFigure?: boolean
  cell(row: EntryRow): Html | Html[] | string
  /** The cell of a day and of the total. */
  sum?(figures: EntryFigures): Html | Html[] | string
}

const name = (text: string | null) => (text === null ? '' : html`<bdi>${text}</bdi>`)

/** All columns in order. Those with a single value are in a line above the table. */
const allColumns: readonly Column[] = [
  { kind: 'from', title: 'From', cell: ({ from }) => from },
  { kind: 'to', title: 'To', cell: ({ to }) => to },
  { kind: 'user', title: 'User', cell: ({ user }) => name(user ?? null) },
  { kind: 'client', title: 'Client', cell: ({ client }) => name(client) },
  { kind: 'project', title: 'Project', cell: ({ project }) => name(project) },
  { kind: 'task', title: 'Task', cell: ({ task }) => name(task) },
  { kind: 'notes', title: 'Notes', cell: ({ notes }) => notes ?? '' },
  {
    kind: 'rate',
    title: 'Rate',
    isFigure: true,
    cell: ({ rate }) => (rate ? moneyText(rate) : ''),
  },
  {
    kind: 'exact',
    title: 'Exact time',
    isFigure: true,
    cell: ({ exact }) => figureText(exact ?? ''),
    sum: ({ exact }) => figureText(exact ?? ''),
  },
  {
    kind: 'duration',
    title: 'Time',
    isFigure: true,
    cell: ({ duration }) => figureText(duration),
    sum: ({ duration }) => figureText(duration),
  },
  {
    kind: 'hours',
    title: 'Hours',
    isFigure: true,
    cell: ({ hours }) => figureText(hours ?? ''),
    sum: ({ hours }) => figureText(hours ?? ''),
  },
  {
    kind: 'amounts',
    title: 'Amount',
    isFigure: true,
    cell: ({ amounts }) => moneyLines(amounts),
    sum: ({ amounts }) => moneyLines(amounts),
  },
]

/**
 * Yields the table of entries by day in chunks, because a long list should not be in memory at once. The entries that do
 * not fit into `maxBytes` are omitted, and a note states their number.
 */
export async function* entriesSection(model: PageModel, maxBytes: number): AsyncGenerator<string> {
  const { days, report, entryTotals, entryColumns, commonValues, isForClient } = model
  if (days === undefined) {
    yield html`<p class="note omitted">${omittedText(report.count, report.count, isForClient)}</p>\n`.markup
    return
  }
  const columns = allColumns.filter(({ kind }) => entryColumns.has(kind))
  const headers = columns.map(
    ({ kind, title, isFigure }) =>
      html`<th scope="col" class="${isFigure ? 'figure ' : ''}${kind}">${kind === 'duration' && entryColumns.has('exact') ? 'Rounded time' : title}</th>`,
  )
  yield html`<section>
<h2>Entries</h2>
${commonLine(commonValues)}<table class="entries${entryColumns.has('from') ? '' : ' untimed'}">
<thead><tr>${headers}</tr></thead>
`.markup
  let bytes = 0
  let listed = 0
  for await (const day of days) {
    if (bytes > maxBytes) break
    for (const chunk of dayRows(day, columns)) {
      bytes += Buffer.byteLength(chunk.markup)
      listed += chunk.entries
      yield chunk.markup
      if (bytes > maxBytes) break
    }
    yield '</tbody>\n'
  }
  const total = countText(report.count, 'entry', 'entries')
  yield `${html`<tbody><tr class="total">${sumCells(html`${total}`, 'row', entryTotals, columns)}</tr></tbody>\n`.markup}</table>\n`
  if (listed < report.count)
    yield html`<p class="note omitted">${omittedText(report.count - listed, report.count, isForClient)}</p>\n`
      .markup
  yield '</section>\n'
}

/** Yields the rows of a day in chunks, each with the number of entries that begin in it. */
function* dayRows(day: EntryDay, columns: readonly Column[]): Generator<{ markup: string; entries: number }> {
  let markup =
    html`<tbody>\n<tr class="day">${sumCells(html`${day.title}`, 'rowgroup', day.figures, columns)}</tr>\n`
      .markup
  let entries = 0
  for (const [index, row] of day.rows.entries()) {
    markup += rowOf(row, columns).markup
    if (!row.isContinued) entries++
    if ((index + 1) % rowsAtOnce > 0 && index + 1 < day.rows.length) continue
    yield { markup, entries }
    markup = ''
    entries = 0
  }
}

function rowOf(row: EntryRow, columns: readonly Column[]): Html {
  const cells = columns.map(({ kind, isFigure, cell }) =>
    kind === 'notes'
      ? html`<td class="notes" dir="auto">${cell(row)}</td>`
      : html`<td class="${isFigure ? 'figure ' : ''}${kind}">${cell(row)}</td>`,
  )
  return html`<tr>${cells}</tr>\n`
}

/** Returns the cells of a sum: a heading over the columns of text, then the figures. */
function sumCells(
  heading: Html,
  scope: 'row' | 'rowgroup',
  figures: EntryFigures,
  columns: readonly Column[],
): Html[] {
  const first = columns.findIndex(({ sum }) => sum !== undefined)
  const cells = columns
    .slice(first)
    .map(({ kind, sum }) => html`<td class="figure ${kind}">${sum?.(figures) ?? ''}</td>`)
  return [html`<th scope="${scope}" colspan="${first}">${heading}</th>`, ...cells]
}

function commonLine(values: PageModel['commonValues']): Html | undefined {
  if (values.length === 0) return undefined
  const items = values.map(({ title, text }) => html`<li>${title}: <b><bdi>${text}</bdi></b></li>\n`)
  return html`<ul class="common">\n${items}</ul>\n`
}

function omittedText(omitted: number, count: number, isForClient: boolean): string {
  const all = countText(count, 'entry', 'entries')
  if (omitted === count) return `${all}, not listed here.`
  return `${omitted.toLocaleString('en')} of ${all} are omitted to limit the size of this page${isForClient ? '' : '; --entries all lists them'}.`
}
