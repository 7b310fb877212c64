import { type Html, html } from '../../lib/text/html.js'
import { moneyLines } from './figures.js'
import type { ExpenseRow, PageExpenses } from './page-model.js'

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
export function expensesSection({ rows, amounts }: PageExpenses): Html {
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
