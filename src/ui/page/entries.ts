import { type Html, html } from '../../lib/html.js'
import { countText } from './figures.js'
import type { EntryRow, PageModel } from './model.js'

const rowsAtOnce = 200

/** Yields the table of all entries in chunks, because a long list should not be in memory at once. */
export async function* entriesSection(model: PageModel): AsyncGenerator<string> {
  const { entries, report, duration, entrySeconds } = model
  yield html`<section>
<h2>Entries</h2>
<table class="entries">
<thead><tr><th scope="col">Date</th><th scope="col">From</th><th scope="col">To</th><th scope="col" class="figure">Time</th><th scope="col">Client</th><th scope="col">Project</th><th scope="col">Task</th><th scope="col">Notes</th></tr></thead>
<tbody>
`.markup
  let rows: string[] = []
  for await (const entry of entries) {
    rows.push(rowOf(entry).markup)
    if (rows.length < rowsAtOnce) continue
    yield rows.join('')
    rows = []
  }
  yield `${rows.join('')}${
    html`<tr class="total"><th scope="row" colspan="3">${countText(report.count, 'entry', 'entries')}</th><td class="figure time">${duration(entrySeconds)}</td><td colspan="4" class="rest"></td></tr>
</tbody>
</table>
</section>\n`.markup
  }`
}

function rowOf(entry: EntryRow): Html {
  const { date, from, to, duration, client, project, task, notes } = entry
  const name = (kind: string, text: string | null) =>
    html`<td class="${kind}">${text === null ? '' : html`<bdi>${text}</bdi>`}</td>`
  return html`<tr><td class="date">${date}</td><td class="from">${from}</td><td class="to">${to}</td><td class="figure time">${duration}</td>${name('client', client)}${name('project', project)}${name('task', task)}<td class="notes" dir="auto">${notes ?? ''}</td></tr>\n`
}
