import { TtError } from '../../lib/errors.js'
import { displayWidth, escapeStyledLines, escapeText, escapeTexts, type TextChunks } from '../text.js'
import type { Style, View } from '../view.js'
import { cellsOf } from './cells.js'
import { csvLines, csvWriter, tsvLines } from './csv.js'
import { withFields } from './field-selection.js'
import { type Format, selectableFormats } from './formats.js'
import { jsonLines, jsonRecord, ndjsonLines } from './json.js'
import { markdownLines } from './markdown.js'
import type { RowWriter } from './row-writer.js'
import { tableText } from './table.js'

export { parseFields } from './field-selection.js'
export type { Format } from './formats.js'

export interface RenderOptions {
  style: Style
  /** The width of the terminal in cells; undefined for no limit. */
  width: number | undefined
  /** The keys to show, in order; without it, all columns of the view. */
  fields?: readonly string[] | undefined
  /** The template of a line for the format `template`. */
  template?: string | undefined
  /** Whether CSV omits the apostrophe before text that looks like a formula. */
  raw?: boolean | undefined
}

/**
 * Returns the format of the options; without any, a table on a terminal and TSV elsewhere.
 *
 * Throws TtError `usage` for two formats, and for `fields` with a format that does not support them.
 */
export function formatFor(
  options: { [format in (typeof selectableFormats)[number]]?: boolean | string | undefined } & {
    fields?: string
  },
  isTerminal: boolean,
  nameOption = (flag: string) => flag,
): Format {
  const [format, other] = selectableFormats.filter(
    (name) => options[name] !== undefined && options[name] !== false,
  )
  const keys = format && isLazyFormat(format) ? options.fields : undefined
  if (format && (other || keys !== undefined)) {
    const names = [format, other ?? 'fields'].map((name) => nameOption(`--${name}`))
    throw new TtError('usage', `${names.join(' and ')} cannot be used together.`, {
      hint: 'Use one of them.',
    })
  }
  return format ?? (isTerminal ? 'table' : 'tsv')
}

/**
 * Renders a list in chunks of text that each end in a newline.
 *
 * Throws TtError `usage` for an unknown field, before anything is rendered.
 */
export function renderList<Row>(
  view: View<Row>,
  rows: readonly Row[],
  format: Format,
  options: RenderOptions,
): TextChunks {
  const fullView = options.fields ? withFields(view, rows, options.fields) : view
  if (isLazyFormat(format)) return lazyLines(fullView, rows, format, options)
  if (format !== 'table') return batch(lines[format](fullView, rows, options))
  const columns = options.fields
    ? fullView.columns
    : fullView.columns.filter(({ isHiddenOnTerminal }) => !isHiddenOnTerminal)
  return tableText({ ...fullView, columns }, rows, options)
}

/** Returns the writer of a long list in a format for programs, with the same text as `renderList`. */
export function listWriter<Row>(
  format: 'ndjson' | 'csv' | 'tsv',
  view: View<Row>,
  options: Pick<RenderOptions, 'raw'>,
): RowWriter<Row> {
  if (format === 'csv') return csvWriter(view, options)
  return { head: '', row: (row) => [...lines[format](view, [row], options)].join(''), end: () => '' }
}

/**
 * Renders one record, ending in a newline: as one object in JSON, as the sentence of the view or a list of titles and values
 * in the format `table`, otherwise as a list with one row.
 *
 * Throws TtError `usage` for an unknown field.
 */
export function renderRecord<Row>(
  view: View<Row>,
  row: Row,
  format: Exclude<Format, LazyFormat>,
  options: RenderOptions,
): string {
  const fullView = options.fields ? withFields(view, [row], options.fields) : view
  if (format === 'table') return recordText(fullView, row, options.style)
  if (format === 'json') return jsonRecord(fullView, row)
  return [...lines[format](fullView, [row], options)].join('')
}

/** Whether the format escapes each value and preserves the colours of the view or the template. */
export function usesStyle(format: Format): boolean {
  return format === 'table' || format === 'template'
}

type LazyFormat = 'ical' | 'template'

/** Whether the code of the format is loaded on demand. Such formats render one record as a list. */
export function isLazyFormat(format: Format): format is LazyFormat {
  return format === 'ical' || format === 'template'
}

async function* lazyLines<Row>(
  view: View<Row>,
  rows: readonly Row[],
  format: LazyFormat,
  { template = '', width }: RenderOptions,
): AsyncGenerator<string> {
  if (format === 'ical') {
    const { icalLines } = await import('./ical.js')
    return yield* batch(await icalLines(view, rows))
  }
  const { templateLines } = await import('./template.js')
  yield* batch(templateLines(view, rows, template, width !== undefined))
}

type Lines = <Row>(
  view: View<Row>,
  rows: readonly Row[],
  options: Pick<RenderOptions, 'raw'>,
) => Iterable<string>

/** The renderers of the formats for programs and files. */
const lines: Record<Exclude<Format, 'table' | LazyFormat>, Lines> = {
  tsv: tsvLines,
  json: jsonLines,
  ndjson: ndjsonLines,
  csv: csvLines,
  markdown: markdownLines,
}

const chunkLength = 128 * 1024

/** Joins lines into larger chunks, because writing each line separately is slow. */
function* batch(pieces: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length < chunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk) yield chunk
}

/** Returns one record for a terminal: the sentence of the view, or a list of titles and values. */
function recordText<Row>(view: View<Row>, row: Row, style: Style): string {
  const safe = escapeTexts(row)
  if (view.line) return escapeStyledLines(view.line(safe, style))
  const titles = view.columns.map((column) => escapeText(column.title))
  const width = Math.max(0, ...titles.map(displayWidth))
  const values = cellsOf(view, safe, style)
  return titles
    .map((title, index) => {
      const gap = ' '.repeat(width - displayWidth(title) + 2)
      return `${`${style.dim(title)}${gap}${values[index] ?? ''}`.trimEnd()}\n`
    })
    .join('')
}
