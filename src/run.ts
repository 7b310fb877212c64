import type { CommandModule } from './commands/command.js'
import { Context } from './context.js'
import type { Output } from './output.js'
import type { Invocation } from './program/declaring.js'
import { inkFor } from './ui/colour.js'
import { type Format, formatFor, parseFields, renderList, renderRecord } from './ui/formats.js'
import type { View } from './ui/view.js'
import type { World } from './world.js'

/**
 * Loads and runs the command that was asked for, and writes what it returns in the format that was asked for. Throws
 * what the command throws, and after its value is written what it told `ctx.afterwards`.
 */
export async function run(
  { load, operands, options }: Invocation,
  world: World,
  output: Output,
): Promise<void> {
  const format = formatFor(options, world.stdout.isTTY === true)
  const ctx = new Context(world, options)
  try {
    const command: CommandModule<unknown> = await load()
    const input = [...operands, options] as never[]
    const result = command.run(ctx, ...input)
    const told = typeof command.told === 'function' ? command.told(...input) : command.told
    const shown = { view: command.view, told: told === true }
    if (isAsyncIterable(result)) {
      for await (const record of result) await show(record, shown, format, ctx, output)
    } else {
      const value = await result
      ctx.tellLast()
      await show(value, shown, format, ctx, output)
    }
    if (ctx.ending) throw ctx.ending
  } finally {
    ctx.tellLast()
    await ctx.close()
  }
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}

async function show(
  value: unknown,
  command: { view: CommandModule<unknown>['view']; told: boolean },
  format: Format,
  ctx: Context,
  output: Output,
): Promise<void> {
  const view = typeof command.view === 'function' ? command.view(ctx, value) : command.view
  if (value === undefined) return
  if (value === null || !view) {
    if (value !== null || format === 'json' || format === 'ndjson')
      await output.write(`${JSON.stringify(value, null, 2)}\n`)
    return
  }
  if (command.told && format === 'table') return
  const list = Array.isArray(value) ? value : undefined
  if (list?.length === 0 && ctx.world.stdout.isTTY) ctx.say(view.empty)
  for await (const text of await rendered(value, list, view, format, ctx)) {
    await output.write(text)
    if (output.closed) return
  }
}

async function rendered(
  value: unknown,
  list: unknown[] | undefined,
  view: View<unknown>,
  format: Format,
  ctx: Context,
): Promise<Iterable<string> | AsyncIterable<string>> {
  const { stdout, env } = ctx.world
  const { color, fields } = ctx.options
  const settings = {
    ink: await inkFor({ color, env, isTTY: stdout.isTTY === true }),
    width: stdout.isTTY ? stdout.columns || 80 : undefined,
    ...(fields === undefined ? {} : { fields: parseFields(fields) }),
  }
  return list ? renderList(view, list, format, settings) : renderRecord(view, value, format, settings)
}
