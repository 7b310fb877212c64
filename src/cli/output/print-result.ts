import { jsonText } from '../../ui/formats/json.js'
import {
  type Format,
  isLazyFormat,
  parseFields,
  renderList,
  renderRecord,
  usesStyle,
} from '../../ui/formats/render.js'
import { escapeForTerminal, escapeStyledLines, type TextChunks } from '../../ui/text.js'
import type { RowsWithView, Summary, View } from '../../ui/view.js'
import type { AnyInput, CommandModule } from '../command.js'
import type { Context } from '../context.js'
import { pagedScreen, type Stdout, writeAll } from './stdout.js'

/** What a command prints. */
export type Result =
  | { kind: 'nothing' }
  /** Text that is the same in every format, such as a chart or a page. */
  | { kind: 'text'; chunks: TextChunks }
  /** A value without a view, printed as JSON in every format. */
  | { kind: 'json'; value: unknown }
  /** No record: null in JSON, and nothing in other formats. */
  | { kind: 'none' }
  | { kind: 'record'; view: View<unknown>; row: unknown }
  | ({ kind: 'records' } & RowsWithView)
  /** One object in JSON, and rows in other formats. */
  | { kind: 'summary'; summary: Summary }

/** Returns what the command prints for a value that its `run` returned. */
export function resultOf(
  command: CommandModule<AnyInput>,
  value: unknown,
  ctx: Context,
  input: AnyInput,
): Result {
  if (value === undefined) return { kind: 'nothing' }
  if (value === null) return { kind: 'none' }
  const chunks = command.text?.(value)
  if (chunks) return { kind: 'text', chunks }
  const summary = command.summary?.(value)
  if (summary) return { kind: 'summary', summary }
  const view = typeof command.view === 'function' ? command.view(ctx, value, input) : command.view
  if (!view) return { kind: 'json', value }
  return Array.isArray(value) ? { kind: 'records', view, rows: value } : { kind: 'record', view, row: value }
}

/** Writes a result to standard output, in a pager if it is a table that does not fit on the screen. */
export async function printResult(
  result: Result,
  format: Format,
  ctx: Context,
  output: Stdout,
): Promise<void> {
  const isTerminal = ctx.host.stdout.isTTY === true
  const isJson = format === 'json' || format === 'ndjson'
  // Formats for programs are never paged.
  const screen = format === 'table' ? pagedScreen(ctx.host, (text) => ctx.terminal.warn(text)) : undefined
  const write = (texts: TextChunks, hasStyle = usesStyle(format)) =>
    writeAll(isTerminal ? escapeForTerminal(texts, { hasStyle }) : texts, output, screen)
  const writeJson = (texts: TextChunks) => writeAll(isTerminal ? colouredJson(texts, ctx) : texts, output)
  const writeFormatted = isJson ? writeJson : write
  if (isTerminal) ctx.terminal.endProgress()
  switch (result.kind) {
    case 'nothing':
      return
    case 'text':
      return write(result.chunks, true)
    case 'json':
      return writeJson([`${jsonText(result.value, 2)}\n`])
    case 'none':
      return isJson ? writeJson(['null\n']) : undefined
    case 'record':
      return writeFormatted(await recordTexts(result, format, ctx))
    case 'records': {
      const { view, rows } = result
      if (rows.length === 0 && isTerminal) ctx.terminal.message(view.empty)
      return writeFormatted(renderList(view, rows, format, await renderOptions(ctx)))
    }
    case 'summary': {
      const { summary } = result
      if (format === 'json')
        return writeJson(await recordTexts({ view: objectView, row: summary.record }, format, ctx))
      const rows = rowsOf(summary, format)
      const { tables } = summary
      if (!tables || format !== 'table' || ctx.options.fields !== undefined)
        return printResult({ kind: 'records', ...rows }, format, ctx, output)
      if (rows.rows.length === 0 && isTerminal) ctx.terminal.message(rows.view.empty)
      return write(tableTexts(tables, ctx))
    }
  }
}

/** Yields JSON with the colours of the terminal. No chunk may end within a string. */
async function* colouredJson(texts: TextChunks, ctx: Context): AsyncGenerator<string> {
  const [{ colourJson }, { style }] = await Promise.all([
    import('../../ui/formats/json.js'),
    ctx.terminal.renderOptions(),
  ])
  for await (const text of escapeForTerminal(texts, { hasStyle: false })) yield colourJson(text, style)
}

/** The view of an object that is its own JSON. */
const objectView: View<Record<string, unknown>> = { columns: [], json: (record) => record, empty: '' }

/** Returns the rows of a summary in a format other than JSON. It reads only these: others may be created when read. */
function rowsOf(summary: Summary, format: Exclude<Format, 'json'>): RowsWithView {
  if (format === 'table') return summary.tree
  if (format === 'markdown') return summary.document ?? summary.tree
  if (format === 'csv') return summary.csv ?? summary.flat
  if (format === 'ndjson') return summary.ndjson ?? summary.flat
  return summary.flat
}

/** Yields several tables with their headings, separated by empty lines. */
async function* tableTexts(tables: NonNullable<Summary['tables']>, ctx: Context): AsyncGenerator<string> {
  const options = await ctx.terminal.renderOptions()
  for (const [index, { heading, view, rows }] of tables(options.width).entries()) {
    if (index > 0) yield '\n'
    if (heading !== undefined) yield escapeStyledLines(options.style.bold(heading))
    yield* renderList(view, rows, 'table', options)
  }
}

async function recordTexts(
  { view, row }: { view: View<unknown>; row: unknown },
  format: Format,
  ctx: Context,
): Promise<TextChunks> {
  const options = await renderOptions(ctx)
  return isLazyFormat(format)
    ? renderList(view, [row], format, options)
    : [renderRecord(view, row, format, options)]
}

async function renderOptions(ctx: Context) {
  const { fields, template, raw } = ctx.options
  return {
    ...(await ctx.terminal.renderOptions()),
    ...(fields === undefined ? {} : { fields: parseFields(fields) }),
    template,
    raw,
  }
}
