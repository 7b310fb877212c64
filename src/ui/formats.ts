import { TtError } from '../errors.js'
import { csvLines, tsvLines } from './delimited.js'
import { withFields } from './fields.js'
import { jsonLines, jsonRecord, ndjsonLines } from './json.js'
import { markdownLines } from './markdown.js'
import { recordText } from './record.js'
import { tableText } from './table.js'
import type { Ink, View } from './view.js'

export { parseFields } from './fields.js'

export type Format = 'table' | 'tsv' | 'json' | 'ndjson' | 'csv' | 'markdown'

export interface RenderOptions {
  ink: Ink
  /** The width of the terminal in cells; undefined where there is no limit. */
  width: number | undefined
  /** The keys to show, in order; all of the view without it. */
  fields?: readonly string[] | undefined
}

const flags = ['json', 'ndjson', 'csv', 'markdown'] as const

/**
 * The format that the flags ask for; without any, a table on a terminal and TSV elsewhere.
 *
 * Throws TtError `usage` when two are asked for at once.
 */
export function formatFor(
  options: { [flag in (typeof flags)[number]]?: boolean | undefined },
  terminal: boolean,
): Format {
  const [format, other] = flags.filter((flag) => options[flag])
  if (format && other) {
    throw new TtError('usage', `--${format} and --${other} exclude each other.`, {
      hint: 'Give one of them.',
    })
  }
  return format ?? (terminal ? 'table' : 'tsv')
}

/**
 * A list in the given format, in chunks of text that each end in a newline.
 *
 * Throws TtError `usage` for a field that there is not, before anything is rendered.
 */
export function renderList<Row>(
  view: View<Row>,
  rows: readonly Row[],
  format: Format,
  options: RenderOptions,
): Iterable<string> | AsyncIterable<string> {
  const shown = options.fields ? withFields(view, rows, options.fields) : view
  if (format !== 'table') return batched(lines[format](shown, rows))
  const columns = options.fields ? shown.columns : shown.columns.filter(({ below }) => !below)
  return tableText({ ...shown, columns }, rows, options)
}

/**
 * One record in the given format, ending in a newline: one object in JSON, on a terminal the view's sentence
 * or a list of titles and values, and otherwise as a list of one.
 *
 * Throws TtError `usage` for a field that there is not.
 */
export function renderRecord<Row>(view: View<Row>, row: Row, format: Format, options: RenderOptions): string {
  const shown = options.fields ? withFields(view, [row], options.fields) : view
  if (format === 'table') return recordText(shown, row, options.ink)
  if (format === 'json') return jsonRecord(shown, row)
  return [...lines[format](shown, [row])].join('')
}

type Lines = <Row>(view: View<Row>, rows: readonly Row[]) => Iterable<string>

/** The formats for machines and files: each one function from (view, rows) to text. */
const lines: Record<Exclude<Format, 'table'>, Lines> = {
  tsv: tsvLines,
  json: jsonLines,
  ndjson: ndjsonLines,
  csv: csvLines,
  markdown: markdownLines,
}

const chunkLength = 128 * 1024

/** Joins short pieces: a write for each line would cost more than the line. */
function* batched(pieces: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk) yield chunk
}
