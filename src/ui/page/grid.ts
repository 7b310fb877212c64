import { type Html, html } from '../../lib/text/html.js'
import { capitalize, listText } from '../../lib/text/words.js'
import type { Report } from '../../report/report-model.js'
import { figureText } from './figures.js'
import { groupsTable, omissionNote } from './groups-table.js'
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
