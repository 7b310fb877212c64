import { type Html, html } from '../../lib/html.js'

export interface ChartFigure {
  /** Unique in the page; a word. */
  id: string
  /** The name for those who do not see it. */
  title: string
  /** What there is to see. */
  description: string
  height: number
  content: readonly Html[]
}

/**
 * A chart as wide as there is room, `height` pixels high, with an accessible name and description (WAI-ARIA Graphics,
 * SVG Accessibility API Mappings). Lengths across are per cent and lengths down are pixels, so that words keep their size.
 */
export function chartFigure({ id, title, description, height, content }: ChartFigure): Html {
  return html`<svg id="${id}" class="chart" width="100%" height="${height}" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${content}</svg>\n`
}

/** The same in figures: folded away beside its section on a screen, open and after everything else on paper. */
export function figuresTable(summary: string, table: Html): Html {
  return html`<details class="figures"><summary>${summary}</summary>
<div class="scroll" role="region" aria-label="${summary}" tabindex="0">${table}</div>
</details>\n`
}
