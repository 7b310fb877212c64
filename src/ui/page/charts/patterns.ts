import { type Html, html } from '../../../lib/text/html.js'

/** The patterns drawn on the colours, so that series also differ in black and white. The rest of them, the last, is plain. */
const marks: Html[] = [
  html``,
  html`<path d="M-1 1l2-2M0 8l8-8M7 9l2-2"/>`,
  html`<circle cx="2" cy="2" r="1"/><circle cx="6" cy="6" r="1"/>`,
  html`<path d="M0 2h8M0 6h8"/>`,
  html`<path d="M-1 7l2 2M0 0l8 8M7-1l2 2"/>`,
  html`<path d="M2 0v8M6 0v8"/>`,
  html`<path d="M0 0l8 8M8 0l-8 8"/>`,
  html``,
]

/** Returns the definitions of the fill patterns. */
export function patternDefinitions(): Html {
  const patterns = marks.map(
    (mark, index) =>
      html`<pattern id="p${index}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="s${index}"/><g class="mark">${mark}</g></pattern>\n`,
  )
  return html`<svg class="definitions" width="0" height="0" aria-hidden="true"><defs>
${patterns}</defs></svg>\n`
}

/** Returns the attribute `fill` of a series; all series after the last pattern share it. */
export function fillOf(series: number): string {
  return `url(#p${Math.min(series, marks.length - 1)})`
}

/** Returns a small sample of the fill of a series, for legends. */
export function swatch(series: number): Html {
  return html`<svg class="swatch" width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="2" fill="${fillOf(series)}"/></svg>`
}
