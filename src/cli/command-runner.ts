import type { CommandModule } from '../commands/shared/command.js'
import { version } from '../lib/version.js'
import type { Invocation } from '../program/lazy-commands.js'
import {
  type Format,
  formatFor,
  isLazyFormat,
  parseFields,
  renderList,
  renderRecord,
  usesStyle,
} from '../ui/formats/formats.js'
import { jsonText } from '../ui/formats/json.js'
import type { Summary } from '../ui/summary.js'
import { escapeLines, forTerminal, type TextChunks } from '../ui/text.js'
import type { View } from '../ui/view.js'
import { Context } from './context.js'
import type { Host } from './host.js'
import { pagedScreen, type Stdout, writeAll } from './stdout.js'

/**
 * Loads and runs the command that was asked for, and writes what it returns in the format that was asked for. Throws
 * what the command throws, and after its value is written what it told `ctx.afterwards`.
 */
export async function run(
  { load, operands, options }: Invocation,
  world: Host,
  output: Stdout,
): Promise<void> {
  const format = formatFor(options, world.stdout.isTTY === true)
  const ctx = new Context(world, options)
  if (options.debug) world.stderr.write(escapeLines(whatRuns(ctx)))
  try {
    const command: CommandModule<unknown> = await load()
    ctx.canQueue = command.canQueue === true
    const input = [...operands, options] as never[]
    const given = (value: boolean | ((...input: never[]) => boolean) | undefined) =>
      typeof value === 'function' ? value(...input) : value === true
    if (given(command.usesDefaultSettings)) ctx.allowUnreadableSettings()
    const result = command.run(ctx, ...input)
    const shown = { command, told: given(command.quietOnTerminal) }
    if (isAsyncIterable(result)) {
      for await (const record of result) await show(record, shown, format, ctx, output)
    } else {
      const value = await result
      ctx.flushWarnings()
      await show(value, shown, format, ctx, output)
      await ctx.runDeferred()
    }
    if (ctx.ending) throw ctx.ending
  } finally {
    ctx.flushWarnings()
    await ctx.close()
  }
}

/** What somebody who helps with a trace asks first. */
function whatRuns(ctx: Context): string {
  const { versions, platform, arch } = process
  return `tt ${version}, Node ${versions.node}, ${platform} ${arch}, profile ${profileOf(ctx)}`
}

function profileOf(ctx: Context): string {
  try {
    const { profile } = ctx
    return profile.kind === 'local' ? profile.name : `${profile.name} at ${new URL(profile.baseUrl).host}`
  } catch {
    return 'unknown' // The command says what is wrong with it, if it needs one.
  }
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}

interface Shown {
  command: CommandModule<unknown>
  /** Its words have told it: a person at a terminal is not shown the value as well. */
  told: boolean
}

async function show(
  value: unknown,
  { command, told }: Shown,
  format: Format,
  ctx: Context,
  output: Stdout,
): Promise<void> {
  if (value === undefined) return
  if (ctx.host.stdout.isTTY) ctx.endProgress()
  // What programs read is not paged, whoever looks at it.
  const screen = format === 'table' ? pagedScreen(ctx.host, (text) => ctx.warn(text)) : undefined
  const isTerminal = ctx.host.stdout.isTTY === true
  const write = (texts: TextChunks, inked: boolean) =>
    writeAll(isTerminal ? forTerminal(texts, { inked }) : texts, output, screen)
  const text = command.text?.(value)
  if (text) return write(text, true)
  const summary = command.summary?.(ctx, value)
  const view = typeof command.view === 'function' ? command.view(ctx, value) : command.view
  if (value === null || !(view || summary)) {
    if (value !== null || format === 'json' || format === 'ndjson')
      await output.write(`${jsonText(value, 2)}\n`)
    return
  }
  if (told && format === 'table') return
  const shown = summary ? summarised(summary, format) : view && { value, view }
  if (!shown) return
  if (Array.isArray(shown.value) && shown.value.length === 0 && ctx.host.stdout.isTTY)
    ctx.message(shown.view.empty)
  await write(await rendered(shown, format, ctx), usesStyle(format))
}

/** What a summary is in that format. */
function summarised(summary: Summary, format: Format): { value: unknown; view: View<unknown> } {
  const { record, tree, flat } = summary
  if (format === 'json')
    return { value: record, view: { columns: [], json: (row) => row as typeof record, empty: '' } }
  const { view, rows } = format === 'table' || format === 'markdown' ? tree : flat
  return { value: rows, view: view as View<unknown> }
}

async function rendered(
  { value, view }: { value: unknown; view: View<unknown> },
  format: Format,
  ctx: Context,
): Promise<TextChunks> {
  const { fields, template } = ctx.options
  const settings = {
    ...(await ctx.renderOptions()),
    ...(fields === undefined ? {} : { fields: parseFields(fields) }),
    template,
  }
  if (Array.isArray(value)) return renderList(view, value, format, settings)
  if (isLazyFormat(format)) return renderList(view, [value], format, settings)
  return [renderRecord(view, value, format, settings)]
}
