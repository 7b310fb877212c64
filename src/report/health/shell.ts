import { formatDateTime, parseTime, toRfc3339 } from '../../calendar/time.js'
import { pad } from '../../calendar/wall.js'

/** A word of a command line for a POSIX shell: a service may call its records anything. */
export function word(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A moment as a word of a command line that is read as exactly that moment: "2024-05-01 11:00", in quotes. */
export function timeWord(atMs: number): string {
  const at = new Date(atMs)
  const seconds = at.getSeconds() === 0 ? '' : `:${pad(at.getSeconds())}`
  const plain = `${formatDateTime(at)}${seconds}`
  // The second of two equal wall times is told by its offset, and so are milliseconds.
  return `"${parseTime(plain, at).getTime() === atMs ? plain : toRfc3339(at)}"`
}
