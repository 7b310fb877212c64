import { escapeControls } from './control-characters.js'

/** A page cannot hold U+0000, not even escaped (HTML, "Character references"). */
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\0': '\ufffd',
}

/**
 * Text as it stands in a page, in elements and quoted attributes alike. Control characters become visible escapes: a
 * title is shown outside the page, where a direction override would reorder other text.
 */
export function escapeHtml(text: string): string {
  return escapeControls(text.replace(/[&<>"'\0]/g, (character) => entities[character] ?? character))
}
