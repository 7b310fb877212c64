import { type Html, html } from '../../../lib/text/html.js'

/**
 * Returns a table, the first cell of each row being its header. On narrow screens the cells of a row are below each other,
 * for which some browsers need the roles.
 *
 * @param label its accessible name
 */
export function showTable(label: string, columns: readonly string[], rows: readonly Html[][]): Html {
  return html`<div class="table"><table role="table" aria-label="${label}">
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col">${column}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    ([header, ...cells]) =>
      html`<tr role="row"><th role="rowheader" scope="row">${header}</th>${cells.map(
        (cell) => html`<td role="cell">${cell}</td>`,
      )}</tr>`,
  )}</tbody>
</table></div>`
}
