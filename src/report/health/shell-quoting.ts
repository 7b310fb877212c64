import { formatDateTime, parseTime, toRfc3339 } from '../../calendar/time.js'
import { pad } from '../../calendar/wall-time.js'

/** Characters that a terminal does not show as they are: controls, line separators and direction overrides. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0\ufdd1]/u

/** A word of a command line for a POSIX shell, on one line and printable: a service may call its records anything. */
export function quoteWord(text: string): string {
  if (/^[\w.:/-]+$/.test(text)) return text
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // printf(1), POSIX: %b takes \0 with three octal digits as a byte.
  const escaped = [...text].map((character) =>
    unprintable.test(character) || character === "'" || character === '\\' ? octal(character) : character,
  )
  return `"$(printf %b '${escaped.join('')}')"`
}

function octal(character: string): string {
  const bytes = [...new TextEncoder().encode(character)]
  return bytes.map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')
}

/** A moment as a word of a command line that is read as exactly that moment: "2024-05-01 11:00", in quotes. */
export function quoteTime(atMs: number): string {
  const at = new Date(atMs)
  const seconds = at.getSeconds() === 0 ? '' : `:${pad(at.getSeconds())}`
  const plain = `${formatDateTime(at)}${seconds}`
  // The second of two equal wall times is told by its offset, and so are milliseconds.
  return `"${parseTime(plain, at).getTime() === atMs ? plain : toRfc3339(at)}"`
}
