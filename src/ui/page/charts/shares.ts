import { type Html, html } from '../../../lib/text/html.js'
import type { Share } from '../../../report/charts/chart-model.js'
import { figureText, isolated, percent } from '../figures.js'
import { chartFigure } from './chart.js'

const rowHeight = 34

/** Returns a bar for each name. The figures are in the table of the groups. */
export function sharesChart(shares: readonly Share[], by: string): Html {
  const rows = shares.map(({ label, text, share, percent: part }, index) => {
    const y = index * rowHeight
    return html`<g><title>${isolated(label)}: ${figureText(text)}, ${part}</title>
<text class="name" x="0" y="${y + 16}" clip-path="url(#shares-names)">${isolated(label)}</text>
<text class="value" x="100%" y="${y + 16}" text-anchor="end">${figureText(text)} · ${part}</text>
<rect class="track" x="0" y="${y + 22}" width="100%" height="6" rx="3"/><rect class="share" x="0" y="${y + 22}" width="${percent(Math.min(1, share))}" height="6" rx="3"/></g>\n`
  })
  const parts = shares.map(
    ({ label, percent: part }, index) => html`${index > 0 ? ', ' : ''}${isolated(label)} ${part}`,
  )
  return html`<figure>${chartFigure({
    ...{ id: 'shares', title: `Shares by ${by}`, description: html`${parts}.` },
    height: shares.length * rowHeight,
    // A long name is cut off before its figures; the table has the complete name.
    content: [html`<clipPath id="shares-names"><rect width="68%" height="100%"/></clipPath>\n`, ...rows],
  })}</figure>\n`
}
