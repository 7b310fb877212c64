/** A page cannot hold U+0000, not even escaped (HTML, "Character references"). */
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\0': '\ufffd',
}

/** Text as it stands in a page, in elements and quoted attributes alike. */
export function escaped(text: string): string {
  return text.replace(/[&<>"'\0]/g, (character) => entities[character] ?? character)
}
