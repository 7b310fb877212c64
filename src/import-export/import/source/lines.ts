import { TtError } from '../../../lib/errors.js'
import type { TextSource } from './text-source.js'

/** Lines of a text, without their line endings; the number of the first one is `first`. */
export interface LineBatch {
  first: number
  lines: string[]
}

/** Upper bound for the characters of a line, so that a file without line endings cannot fill the memory. */
export const maxLineLength = 8 * 1024 * 1024

/** Yields the lines of a text in batches. Lines end with LF or CRLF. Throws TtError `usage` for a line of 8 million characters. */
export async function* lineBatches(source: TextSource): AsyncGenerator<LineBatch> {
  let first = 1
  let rest = ''
  for await (const chunk of source.chunks()) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength) throw longLineError(source.name, first + lines.length)
    if (lines.length === 0) continue
    yield { first, lines: lines.map(withoutReturn) }
    first += lines.length
  }
  if (rest !== '') yield { first, lines: [withoutReturn(rest)] }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function longLineError(name: string, line: number): TtError {
  return new TtError('usage', `${name}:${line}: This line is too long for a list of entries.`, {
    hint: 'Check that it is the file that you want to import.',
  })
}
