import { type Html, html } from '../../lib/text/html.js'
import { countText, numberText } from './figures.js'
import type { Omission } from './page-model.js'

/** A column of figures. */
interface FigureColumn {
  title: string
  /** A CSS class. */
  kind?: string
  /** Whether it has the totals of the rows. */
  isTotal?: boolean
}

/** A group or a total. */
export interface GroupsRow {
  label: string
  /** The group in the compared period where it differs; null otherwise. */
  comparedLabel?: string | null
  depth?: number
  isParent?: boolean
  isTotal?: boolean
  running?: boolean
  /** The figures of the columns. */
  cells: readonly (Html | Html[] | string)[]
}

interface GroupsTable {
  /** The CSS classes of the table. */
  kind: string
  caption?: string | null
  /** The grouping: "Client, project". */
  by: string
  columns: readonly FigureColumn[]
  rows: readonly GroupsRow[]
}

/** Returns a table with a row for each group, indented below the group around it. */
export function groupsTable({ kind, caption = null, by, columns, rows }: GroupsTable): Html {
  const classes = columns.map(({ kind }) => (kind === undefined ? 'figure' : `figure ${kind}`))
  const head = columns.map(
    ({ title }, index) => html`<th scope="col" class="${classes[index]}">${title}</th>`,
  )
  const cellClasses = columns.map(({ isTotal }, index) => `${classes[index]}${isTotal ? ' strong' : ''}`)
  return html`<table class="${kind}">
${caption === null ? undefined : html`<caption class="caption">${caption}</caption>\n`}<thead><tr><th scope="col">${by}</th>${head}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, cellClasses))}</tbody>
</table>\n`
}

function rowOf(row: GroupsRow, classes: readonly string[]): Html {
  const { label, comparedLabel = null, depth = 0, isParent, isTotal, running, cells } = row
  const kind = isTotal ? 'total' : `depth${Math.min(depth, 3)}${isParent ? ' strong' : ''}`
  const compared = comparedLabel === null ? undefined : html` <small>with <bdi>${comparedLabel}</bdi></small>`
  const mark = running ? html` <small>running</small>` : undefined
  const figures = cells.map((cell, index) => html`<td class="${classes[index]}">${cell}</td>`)
  return html`<tr class="${kind}"><th scope="row"><bdi>${label}</bdi>${compared}${mark}</th>${figures}</tr>\n`
}

/** Returns the note below a table whose rows were combined: how many are not listed separately. */
export function omissionNote(omission: Omission | undefined, plural: 'groups' | 'rows'): Html | undefined {
  if (omission === undefined) return undefined
  const all = countText(omission.count, plural.slice(0, -1), plural)
  const are = omission.omitted === 1 ? 'is' : 'are'
  return html`<p class="note">${numberText(omission.omitted)} of ${all} ${are} not listed separately, to limit the size of this page. All totals include them.</p>\n`
}
