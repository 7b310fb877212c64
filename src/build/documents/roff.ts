/** Text for man pages (roff with the macros of man(7)), in ASCII. */

const special: Record<string, string> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Escapes text so that every character is printed unchanged, as in code. */
export function code(text: string): string {
  return text.replace(/[\\\-'`^~]|[^\0-\x7f]/gu, (character) => special[character] ?? named(character))
}

/** Formats prose, with code between backticks in bold. Hyphens between letters are not escaped, unlike those in code. */
export function prose(text: string): string {
  return text
    .split(/`([^`]*)`/)
    .map((piece, index) => (index % 2 === 1 ? bold(piece) : escapeProse(piece)))
    .join('')
}

/** Formats code in bold. */
export function bold(text: string): string {
  return text === '' ? '' : `\\fB${code(text)}\\fR`
}

/** Formats a usage line: literal text in bold, placeholders in italics. */
export function usage(text: string): string {
  return text
    .split(/<([^>]*)>/)
    .map((piece, index) =>
      index % 2 === 1 ? `\\fI${code(piece)}\\fR` : piece.replace(/[^\s,[\]|]+/g, (word) => bold(word)),
    )
    .join('')
}

export const section = (title: string) => `.SH ${escapeProse(title)}`
export const subsection = (title: string) => `.SS ${escapeProse(title)}`

export function paragraph(text: string): string {
  return `.PP\n${line(prose(text))}`
}

/** Formats a term (from `bold` or `usage`) with its meaning below it. */
export function item(term: string, meaning: string): string {
  return `.TP\n${line(term)}\n${line(prose(meaning))}`
}

/** Formats lines without changing their layout. */
export function verbatim(lines: readonly string[]): string {
  return ['.PP', '.RS 4', '.nf', ...lines.map((text) => line(code(text))), '.fi', '.RE'].join('\n')
}

/** Escapes a dot at the start of a line, which would mark a request. */
function line(text: string): string {
  return text.replace(/^\./, '\\&.')
}

function escapeProse(text: string): string {
  return text.replace(/[\\\-'`^~]|[^\0-\x7f]/gu, (character, at: number) => {
    const isInWord = /[a-z]-[a-z]/i.test(text.slice(Math.max(0, at - 1), at + 2))
    // A line may end at the hyphen of a word, but not within an option.
    if (character === '-' && isInWord && !/--[\w-]*$/.test(text.slice(0, at))) return '-'
    return special[character] ?? named(character)
  })
}

function named(character: string): string {
  return `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`
}
