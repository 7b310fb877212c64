import { type Html, html } from '../../../lib/text/html.js'
import type { Share } from '../../../report/charts/chart-model.js'
import { chartName, figureText, isolated, percent } from '../figures.js'
import { chartFigure } from './chart.js'

const rowHeight = 34
/** Upper bound for the average width of the characters of figures in pixels. */
const digitWidth = 8.4
const fadeWidth = 24

/** Returns a bar for each name. The figures are in the table of the groups. */
export function sharesChart(shares: readonly Share[], by: string): Html {
  const rows = shares.map(({ label, text, share, percent: part }, index) => {
    const y = index * rowHeight
    const value = `${figureText(text)} · ${part}`
    return html`<g><title>${isolated(label)}: ${figureText(text)}, ${part}</title>
<text class="name" x="0" y="${y + 16}" clip-path="url(#shares-names)">${isolated(chartName(label))}</text>
${cover(y, Math.ceil(value.length * digitWidth))}<text class="value" x="100%" y="${y + 16}" text-anchor="end">${value}</text>
<rect class="track" x="0" y="${y + 22}" width="100%" height="6" rx="3"/><rect class="share" x="0" y="${y + 22}" width="${percent(Math.min(1, share))}" height="6" rx="3"/></g>\n`
  })
  const parts = shares.map(
    ({ label, percent: part }, index) => html`${index > 0 ? ', ' : ''}${isolated(chartName(label))} ${part}`,
  )
  return html`<figure>${chartFigure({
    ...{ id: 'shares', title: `Shares by ${by}`, description: html`${parts}.` },
    height: shares.length * rowHeight,
    content: [html`<clipPath id="shares-names"><rect width="100%" height="100%"/></clipPath>\n`, ...rows],
  })}</figure>\n`
}

/** Returns the background of figures, on which a long name fades out. The table has the complete name. */
function cover(y: number, width: number): Html {
  const edge = width + fadeWidth
  return html`<rect class="cover" x="100%" y="${y}" width="${width}" height="21" transform="translate(-${width})"/><rect x="100%" y="${y}" width="${fadeWidth}" height="21" fill="url(#fade)" transform="translate(-${edge})"/>
`
}
