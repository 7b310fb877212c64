import type { AnyInput, CommandModule, Invocation } from '../commands/shared/command.js'
import { version } from '../lib/version.js'
import { jsonText } from '../ui/formats/json.js'
import {
  type Format,
  formatFor,
  isLazyFormat,
  parseFields,
  renderList,
  renderRecord,
  usesStyle,
} from '../ui/formats/render.js'
import type { RowsWithView, Summary } from '../ui/summary.js'
import { escapeForTerminal, escapeLines, escapeStyledLines, type TextChunks } from '../ui/text.js'
import type { View } from '../ui/view.js'
import { AfterOutput } from './after-output.js'
import { Context } from './context.js'
import { finishInterruptedRestore } from './finish-restore.js'
import type { Host } from './host.js'
import { Resources } from './resources.js'
import { pagedScreen, type Stdout, writeAll } from './stdout.js'
import { Terminal } from './terminal.js'

/**
 * Loads and runs a command, and writes its value in the format of the options. Throws the errors of the command, and
 * after its output the error of `ctx.afterOutput.fail`.
 */
export async function run({ load, input }: Invocation, host: Host, output: Stdout): Promise<void> {
  const { options } = input
  const format = formatFor(options, host.stdout.isTTY === true)
  const afterOutput = new AfterOutput()
  const terminal = new Terminal(host, options, afterOutput)
  const resources = new Resources()
  const flushWarnings = () => {
    for (const { message, nextStep } of afterOutput.takeWarnings()) terminal.warn(message, nextStep)
  }
  try {
    await finishInterruptedRestore(host.env, (text) => terminal.warn(text))
    const command = await load()
    const isEnabled = (value: CommandModule<AnyInput>['messageReplacesValue']) =>
      typeof value === 'function' ? value(input) : value === true
    const ctx = new Context({
      ...{ host, options, terminal, afterOutput, resources },
      canQueue: command.canQueue === true,
      allowsUnreadableSettings: isEnabled(command.allowsUnreadableSettings),
    })
    if (options.debug) host.stderr.write(escapeLines(environmentText(ctx)))
    const result = command.run(ctx, input)
    const running = { command, messageReplacesValue: isEnabled(command.messageReplacesValue) }
    if (isAsyncIterable(result)) {
      for await (const record of result) await show(record, running, format, ctx, output)
    } else {
      const value = await result
      flushWarnings()
      await show(value, running, format, ctx, output)
      await afterOutput.runWork()
    }
    if (afterOutput.error) throw afterOutput.error
  } finally {
    flushWarnings()
    terminal.endProgress()
    await resources.close()
  }
}

/** Returns versions, platform and profile for the trace of --debug. */
function environmentText(ctx: Context): string {
  const { versions, platform, arch } = process
  return `tt ${version}, Node ${versions.node}, ${platform} ${arch}, profile ${profileOf(ctx)}`
}

function profileOf(ctx: Context): string {
  try {
    const { profile } = ctx.config
    return profile.kind === 'local' ? profile.name : `${profile.name} at ${new URL(profile.baseUrl).host}`
  } catch {
    return 'unknown' // A command that needs the profile reports the error.
  }
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}

interface RunningCommand {
  command: CommandModule<AnyInput>
  /** Whether a message on stderr replaces the value on a terminal. */
  messageReplacesValue: boolean
}

async function show(
  value: unknown,
  { command, messageReplacesValue }: RunningCommand,
  format: Format,
  ctx: Context,
  output: Stdout,
): Promise<void> {
  if (value === undefined) return
  if (ctx.host.stdout.isTTY) ctx.terminal.endProgress()
  // Formats for programs are never paged.
  const screen = format === 'table' ? pagedScreen(ctx.host, (text) => ctx.terminal.warn(text)) : undefined
  const isTerminal = ctx.host.stdout.isTTY === true
  const write = (texts: TextChunks, hasStyle: boolean) =>
    writeAll(isTerminal ? escapeForTerminal(texts, { hasStyle }) : texts, output, screen)
  const text = command.text?.(value)
  if (text) return write(text, true)
  const summary = command.summary?.(ctx, value)
  const view = typeof command.view === 'function' ? command.view(ctx, value) : command.view
  if (value === null || !(view || summary)) {
    if (value !== null || format === 'json' || format === 'ndjson')
      await output.write(`${jsonText(value, 2)}\n`)
    return
  }
  if (messageReplacesValue && format === 'table') return
  const content = summary ? summaryContent(summary, format) : view && { value, view }
  if (!content) return
  if (Array.isArray(content.value) && content.value.length === 0 && ctx.host.stdout.isTTY)
    ctx.terminal.message(content.view.empty)
  const hasTables = format === 'table' && ctx.options.fields === undefined
  const tables = hasTables ? summary?.tables : undefined
  await write(tables ? tableTexts(tables, ctx) : await render(content, format, ctx), usesStyle(format))
}

/** Yields several tables with their headings, separated by empty lines. */
async function* tableTexts(tables: NonNullable<Summary['tables']>, ctx: Context): AsyncGenerator<string> {
  const options = await ctx.terminal.renderOptions()
  for (const [index, { heading, view, rows }] of tables(options.width).entries()) {
    if (index > 0) yield '\n'
    if (heading !== undefined) yield escapeStyledLines(options.style.bold(heading))
    yield* renderList(view as View<unknown>, rows, 'table', options)
  }
}

/** Returns the object of a summary for JSON, and its rows for other formats. */
function summaryContent(summary: Summary, format: Format): { value: unknown; view: View<unknown> } {
  const { record, tree, document = tree, flat, csv = flat, ndjson = flat } = summary
  if (format === 'json')
    return { value: record, view: { columns: [], json: (row) => row as typeof record, empty: '' } }
  const content: Record<Exclude<Format, 'json'>, RowsWithView> = {
    ...{ table: tree, markdown: document, csv, ndjson },
    ...{ tsv: flat, ical: flat, template: flat },
  }
  const { view, rows } = content[format]
  return { value: rows, view: view as View<unknown> }
}

async function render(
  { value, view }: { value: unknown; view: View<unknown> },
  format: Format,
  ctx: Context,
): Promise<TextChunks> {
  const { fields, template, raw } = ctx.options
  const settings = {
    ...(await ctx.terminal.renderOptions()),
    ...(fields === undefined ? {} : { fields: parseFields(fields) }),
    template,
    raw,
  }
  if (Array.isArray(value)) return renderList(view, value, format, settings)
  if (isLazyFormat(format)) return renderList(view, [value], format, settings)
  return [renderRecord(view, value, format, settings)]
}
