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
  return String(part).replace(/[&<>"'\0]/g, (character) => entities[character] ?? '')
}

/** A page cannot hold U+0000, not even escaped (HTML, "Character references"). */
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\0': '\ufffd',
}
