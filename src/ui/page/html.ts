import { escapeHtml } from '../../lib/html.js'

/** Markup that is safe to put into a page. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | readonly Html[] | undefined

/** Markup with values in it: text is escaped, for elements and quoted attributes alike; undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((piece, index) => piece + markupOf(parts[index])).join(''))
}

function markupOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.markup
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('')
  return escapeHtml(String(part))
}
