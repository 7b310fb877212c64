import { type Html, html } from '../../lib/text/html.js'
import { countText, figureText } from './figures.js'
import { groupsTable, omissionNote } from './groups-table.js'
import type { ComparisonTable, PageComparison } from './page-model.js'

/** Returns the tables of both periods and their differences; empty if neither has an entry. */
export function comparisonSection({ period, days, count, tables, omittedGroups }: PageComparison): Html {
  if (tables.length === 0) return html``
  return html`<section class="comparison">
<h2>Comparison with ${period}</h2>
${tables.map(tableOf)}${omissionNote(omittedGroups, 'groups')}<p class="note">${period}${days}: ${countText(count, 'entry', 'entries')}</p>
</section>\n`
}

function tableOf({ kind, title, by, headings, rows }: ComparisonTable): Html {
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
