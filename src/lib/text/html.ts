import { escapeControls } from './control-characters.js'

/** The replacement of each special character. HTML cannot contain U+0000, not even as a character reference. */
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\0': '\ufffd',
}

/** Markup that is safe to send to a browser. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | readonly Html[] | undefined

/** Template tag: returns markup in which values other than `Html` are escaped; undefined becomes an empty text. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + markupOf(parts[index])).join(''))
}

function markupOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.markup
  if (typeof part === 'object') return part.map(({ markup }) => markup).join('')
  return escapeHtml(String(part))
}

/**
 * Returns the text escaped for elements and quoted attributes. Control characters become visible escapes, because
 * browsers show a title outside the page, where a direction override would reorder other text.
 */
export function escapeHtml(text: string): string {
  return escapeControls(text.replace(/[&<>"'\0]/g, (character) => entities[character] ?? character))
}
