import { type Html, html } from '../../lib/text/html.js'
import { countText, numberText } from './figures.js'
import type { Omission } from './page-model.js'

/** Returns the note below a table whose rows were combined: how many are not listed separately. */
export function omissionNote(omission: Omission | undefined, plural: 'groups' | 'rows'): Html | undefined {
  if (omission === undefined) return undefined
  const all = countText(omission.count, plural.slice(0, -1), plural)
  const are = omission.omitted === 1 ? 'is' : 'are'
  return html`<p class="note">${numberText(omission.omitted)} of ${all} ${are} not listed separately, to limit the size of this page. All totals include them.</p>\n`
}
