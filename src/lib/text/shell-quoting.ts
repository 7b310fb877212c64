/** Characters that a terminal does not show as they are: controls, line separators, direction overrides and tags. */
const unprintablePattern = () => /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u

/** Returns the text as one printable word of a POSIX shell: names from a service may contain any character. */
export function quoteWord(text: string): string {
  if (/^[\w.:/-]+$/.test(text)) return text
  const unprintable = unprintablePattern()
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // printf(1), POSIX: %b takes \0 with three octal digits as a byte.
  const escaped = [...text].map((character) =>
    unprintable.test(character) || character === "'" || character === '\\' ? octal(character) : character,
  )
  return `"$(printf %b '${escaped.join('')}')"`
}

/** Returns the number of an invoice as one word of any shell: it has no quotes and no `$`. */
export function quoteInvoiceNumber(number: string): string {
  return /^[\w.-]+$/.test(number) ? number : `"${number}"`
}

function octal(character: string): string {
  const bytes = [...new TextEncoder().encode(character)]
  return bytes.map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')
}
