import { type Html, html } from '../../../lib/text/html.js'

interface ChartFigure {
  /** An ID that is unique in the page, a single word. */
  id: string
  /** The accessible name. */
  title: string
  /** The accessible description. */
  description: Html | string
  /** The height in pixels. */
  height: number
  content: readonly Html[]
}

/**
 * Returns a chart of full width, with an accessible name and description (WAI-ARIA Graphics, SVG Accessibility API Mappings).
 * Horizontal lengths are percentages and vertical lengths are pixels, so that text has the same size at every width.
 */
export function chartFigure({ id, title, description, height, content }: ChartFigure): Html {
  return html`<svg id="${id}" class="chart" width="100%" height="${height}" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${content}</svg>\n`
}

/**
 * Returns the figures of a chart as a table: collapsed below its section on a screen, expanded and last on paper. Paper
 * omits daily figures, which the list of entries has.
 */
export function figuresTable(summary: string, table: Html, isDaily = false): Html {
  return html`<details class="figures${isDaily ? ' daily' : ''}"><summary>${summary}</summary>
<div class="scroll" role="region" aria-label="${summary}" tabindex="0">${table}</div>
</details>\n`
}
