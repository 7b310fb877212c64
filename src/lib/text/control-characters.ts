/**
 * Characters that can drive a terminal or reorder the text around them: C0 and C1 controls, DEL, and the bidirectional
 * embeddings, overrides and isolates (Unicode UAX #9). Tab, newline and CRLF are allowed.
 */
const unsafe = /\r(?!\n)|[^\t\n\r -~\xa0-\u2029\u202f-\u2065\u206a-\uffff]/g

/** Returns the text with unsafe characters replaced by visible escapes such as `\x1b` or `\u202e`. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, visibleEscape)
}

/** Returns `\xHH` for a character below U+0100, and `\uHHHH` for others. */
export function visibleEscape(character: string): string {
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`
}
