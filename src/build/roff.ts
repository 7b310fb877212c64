/** Text for man pages (roff with the macros of man(7)), in ASCII. */

const special: Record<string, string> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Lines that a reader may copy: every character is printed as it is. */
export function code(text: string): string {
  return text.replace(/[\\\-'`^~]|[^\0-\x7f]/gu, (character) => special[character] ?? named(character))
}

/** Words, with code between backticks in bold. A hyphen between letters may become another sign than a minus. */
export function prose(text: string): string {
  return text
    .split(/`([^`]*)`/)
    .map((piece, index) => (index % 2 === 1 ? bold(piece) : words(piece)))
    .join('')
}

/** Code in bold. */
export function bold(text: string): string {
  return text === '' ? '' : `\\fB${code(text)}\\fR`
}

/** The usage of something: what is typed as it is in bold, what it stands for in italics. */
export function usage(text: string): string {
  return text
    .split(/<([^>]*)>/)
    .map((piece, index) =>
      index % 2 === 1 ? `\\fI${code(piece)}\\fR` : piece.replace(/[^\s,[\]|]+/g, (word) => bold(word)),
    )
    .join('')
}

export const section = (title: string) => `.SH ${words(title)}`
export const subsection = (title: string) => `.SS ${words(title)}`

export function paragraph(text: string): string {
  return `.PP\n${line(prose(text))}`
}

/** A term, made by `bold` or `usage`, and under it what it means. */
export function item(term: string, meaning: string): string {
  return `.TP\n${line(term)}\n${line(prose(meaning))}`
}

/** Lines that stand as they are. */
export function verbatim(lines: readonly string[]): string {
  return ['.PP', '.RS 4', '.nf', ...lines.map((each) => line(code(each))), '.fi', '.RE'].join('\n')
}

/** A line that begins with a dot would be a request. */
function line(text: string): string {
  return text.replace(/^\./, '\\&.')
}

function words(text: string): string {
  return text.replace(/[\\\-'`^~]|[^\0-\x7f]/gu, (character, at: number) => {
    if (character === '-' && /[a-z]-[a-z]/i.test(text.slice(Math.max(0, at - 1), at + 2))) return '-'
    return special[character] ?? named(character)
  })
}

function named(character: string): string {
  return `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`
}
