import { capitalize } from '../../lib/text/capitalize.js'
import { type Html, html } from '../../lib/text/html.js'
import { listText } from '../../lib/text/list-text.js'
import type { GridRow } from '../../report/grid/grid.js'
import type { Report } from '../../report/report-model.js'
import { figureText } from './figures.js'
import { omissionNote } from './omission.js'
import type { GridTable, PageModel } from './page-model.js'

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
${tables.map((table) => tableOf(table, title, duration))}${omissionNote(omittedRows, 'rows')}</section>\n`
}

function tableOf({ grid, name, headings }: GridTable, title: string, duration: PageModel['duration']): Html {
  const { by, rows, total } = grid
  const label = name === null ? title : `${title}, ${name}`
  const caption = name === null ? undefined : html`<caption class="caption">${name}</caption>\n`
  const head = [...headings, 'Total'].map((heading) => html`<th scope="col" class="figure">${heading}</th>`)
  const kind = rows.length <= maxShortRows ? 'scroll short' : 'scroll'
  return html`<div class="${kind}" role="region" tabindex="0" aria-label="${label}">
<table class="compact">
${caption}<thead><tr><th scope="col">${capitalize(by.join(', '))}</th>${head}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, duration))}${rowOf(total, duration)}</tbody>
</table>
</div>\n`
}

function rowOf(
  { label, depth, isParent, running, path, cells, seconds }: GridRow,
  duration: PageModel['duration'],
): Html {
  const kind = path.length === 0 ? 'total' : `depth${Math.min(depth, 3)}${isParent ? ' strong' : ''}`
  const figures = cells.map(
    (cell) => html`<td class="figure">${cell === null ? '' : figureText(duration(cell))}</td>`,
  )
  const mark = running ? html` <small>running</small>` : undefined
  return html`<tr class="${kind}"><th scope="row"><bdi>${label}</bdi>${mark}</th>${figures}<td class="figure strong">${figureText(duration(seconds))}</td></tr>\n`
}
