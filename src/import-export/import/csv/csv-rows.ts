import { setImmediate } from 'node:timers/promises'
import type { Parser } from 'csv-parse'
import { TtError } from '../../../lib/errors.js'
import { maxLineLength, type TextSource } from '../source/text-source.js'

export interface CsvRow {
  /** The line where the row begins, from 1. */
  line: number
  /** As many fields as the row has, which may differ from the header. */
  fields: string[]
}

/** Delimiters of CSV. Spreadsheets write semicolons in countries with a decimal comma. */
const delimiters = [',', ';', '\t'] as const

/**
 * Yields the rows of a CSV text (RFC 4180), the header first; empty lines are no rows. The delimiter is the one that
 * occurs most often in the first line. Quotation marks within an unquoted field are part of it.
 *
 * Throws TtError `usage` if a quotation mark is not closed, or a row is too long.
 */
export async function* csvRows(source: TextSource): AsyncGenerator<CsvRow> {
  const { parse } = await import('csv-parse')
  let reader: RowReader | undefined
  let start = ''
  for await (const chunk of source.chunks()) {
    if (reader) yield* reader.push(chunk)
    else {
      start += chunk
      // The first line determines the delimiter.
      const isLine = start.indexOf('\n', start.search(/\S/)) >= 0 && /\S/.test(start)
      if (!isLine && start.length < maxLineLength) continue
      reader = new RowReader(parse(optionsFor(start)), source.name)
      yield* reader.push(start)
    }
  }
  if (!reader) {
    reader = new RowReader(parse(optionsFor(start)), source.name)
    yield* reader.push(start)
  }
  yield* reader.end()
  // The parser reports an incomplete row in the next turn of the event loop.
  await setImmediate()
  reader.check()
}

/** Returns the names of the columns, without white space around them; empty if the first row cannot be read. */
export async function readHeader(source: TextSource): Promise<string[]> {
  try {
    for await (const { fields } of csvRows(source)) return fields.map((name) => name.trim())
  } catch (error) {
    // The reading of the rows reports it.
    if (!(error instanceof TtError)) throw error
  }
  return []
}

function optionsFor(start: string) {
  return {
    delimiter: delimiterOf(start),
    relax_column_count: true,
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: maxLineLength,
  }
}

function delimiterOf(text: string): string {
  const firstLine = /^[^\n]*/.exec(text.replace(/^\s+/, ''))?.[0] ?? ''
  const unquoted = firstLine.replace(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Reads the rows that the parser has completed, without the event loop in between. */
class RowReader {
  #error: Error | undefined
  /** The line where the next row begins. */
  #line = 1

  constructor(
    private readonly parser: Parser,
    private readonly name: string,
  ) {
    parser.on('error', (error) => {
      this.#error = error
    })
  }

  *push(chunk: string): Generator<CsvRow> {
    this.check()
    this.parser.write(chunk)
    yield* this.#rows()
  }

  *end(): Generator<CsvRow> {
    this.parser.end()
    yield* this.#rows()
  }

  *#rows(): Generator<CsvRow> {
    for (;;) {
      const fields = this.parser.read() as string[] | null
      if (fields === null) break
      const line = this.#line
      this.#line += 1 + countNewlines(fields)
      const isEmpty = fields.length === 1 && fields[0]?.trim() === ''
      if (!isEmpty) yield { line, fields }
    }
  }

  /** Throws TtError `usage` if the text is not CSV. */
  check() {
    if (this.#error) throw this.#csvError(this.#error)
  }

  #csvError(cause: Error): TtError {
    const isUnclosed = 'code' in cause && cause.code === 'CSV_QUOTE_NOT_CLOSED'
    const problem = isUnclosed ? 'A quotation mark is opened here and not closed.' : 'This row is not CSV.'
    return new TtError('usage', `${this.name}:${this.#line}: ${problem}`, {
      hint: 'Correct the row, or export the file again.',
      cause,
    })
  }
}

function countNewlines(fields: readonly string[]): number {
  let count = 0
  for (const field of fields) {
    for (let at = field.indexOf('\n'); at >= 0; at = field.indexOf('\n', at + 1)) count++
  }
  return count
}

/**
 * Removes the apostrophe that CSV files have before text that a spreadsheet would run as a formula (OWASP, CSV injection).
 * Text that begins with apostrophes and then a formula has one more in files of this program.
 */
export function withoutFormulaGuard(text: string): string {
  return guarded.test(text) ? text.slice(1) : text
}

const guarded = /^'+(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
