/**
 * Returns the text without the run of a character at its end. A pattern such as /0+$/ takes time in proportion to the
 * square of a run that is followed by something else.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (text[end - 1] === character) end--
  return text.slice(0, end)
}
