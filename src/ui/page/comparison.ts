import { type Html, html } from '../../lib/text/html.js'
import { countText, figureText } from './figures.js'
import { omissionNote } from './omission.js'
import type { ComparisonRow, ComparisonTable, PageComparison } from './page-model.js'

/** Returns the tables of both periods and their differences; empty if neither has an entry. */
export function comparisonSection({ period, days, count, tables, omittedGroups }: PageComparison): Html {
  if (tables.length === 0) return html``
  return html`<section class="comparison">
<h2>Comparison with ${period}</h2>
${tables.map(tableOf)}${omissionNote(omittedGroups, 'groups')}<p class="note">${period}${days}: ${countText(count, 'entry', 'entries')}</p>
</section>\n`
}

function tableOf({ kind, title, by, headings, rows }: ComparisonTable): Html {
  const caption = title === null ? undefined : html`<caption class="caption">${title}</caption>\n`
  const head = headings.map((heading) => html`<th scope="col" class="figure ${kind}">${heading}</th>`)
  return html`<table class="groups figures${headings.length}">
${caption}<thead><tr><th scope="col">${by}</th>${head}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, kind))}</tbody>
</table>\n`
}

function rowOf(
  { label, comparedLabel, depth, isParent, isTotal, running, cells }: ComparisonRow,
  kind: string,
): Html {
  const other = comparedLabel === null ? undefined : html` <small>with <bdi>${comparedLabel}</bdi></small>`
  const mark = running ? html` <small>running</small>` : undefined
  const figures = cells.map((lines) => html`<td class="figure ${kind}">${linesOf(lines)}</td>`)
  const rowClass = isTotal ? 'total' : `depth${Math.min(depth, 3)}${isParent ? ' strong' : ''}`
  return html`<tr class="${rowClass}"><th scope="row"><bdi>${label}</bdi>${other}${mark}</th>${figures}</tr>\n`
}

function linesOf(lines: readonly string[]): Html[] {
  return lines.map((line, index) => html`${index > 0 ? html`<br>` : undefined}${figureText(line)}`)
}
