/**
 * Characters that can drive a terminal, reorder the text around them or hide text in it: C0 and C1 controls, DEL, the
 * bidirectional embeddings, overrides and isolates (Unicode UAX #9), and tag characters (U+E0000 to U+E007F), which spell
 * invisible ASCII. Tab, newline and CRLF are allowed.
 */
const unsafe = /\r(?!\n)|\udb40[\udc00-\udc7f]|[^\t\n\r -~\xa0-\u2029\u202f-\u2065\u206a-\uffff]/g

/** Returns the text with unsafe characters replaced by visible escapes such as `\x1b` or `\u202e`. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, visibleEscape)
}

/** Returns `\xHH` for a character below U+0100, `\uHHHH` for others, and `\u{HHHHH}` above U+FFFF. */
export function visibleEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code > 0xffff) return `\\u{${code.toString(16)}}`
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
}
