import type { AnyInput, CommandModule, Invocation } from './command.js'
import { type ContextOptions, printWarnings, withContext } from './context/with-context.js'
import type { Context } from './context.js'
import { readInput } from './read-input.js'
import type { RecordedChange } from './recorded-change.js'

/** A command that has run. */
export interface Executed {
  command: CommandModule<AnyInput>
  ctx: Context
  input: AnyInput
}

export interface ExecuteOptions extends ContextOptions {
  /** Called before the command reads its input. */
  prepare?: (ctx: Context) => void
}

/**
 * Runs a command in a context of its own: the only way in which `tt`, the keys of `tt watch` and the tools of `tt mcp` run
 * one. Throws the errors of the command, and after its output the error of `ctx.afterOutput.fail`.
 *
 * @param options of the context; the command decides on those that are missing
 * @param receive receives the value of the command, or the records that it returns over time
 */
export async function execute<Result>(
  invocation: Invocation,
  { prepare, ...options }: ExecuteOptions,
  receive: (value: unknown, executed: Executed) => Promise<Result>,
): Promise<Result> {
  const command = await invocation.command.load()
  const { nameOption } = invocation
  const flags = {
    ...(nameOption && { nameOption }),
    canQueue: command.canQueue === true,
    allowsUnreadableSettings: isEnabled(command.allowsUnreadableSettings, invocation.input),
  }
  return withContext({ ...flags, ...options }, async (ctx) => {
    prepare?.(ctx)
    const input = await readInput(invocation, ctx)
    const recorded: RecordedChange = async (...change) => {
      const { recorderOf } = await import('./recorded-change.js')
      return recorderOf(invocation.name, input, ctx.host.now)(...change)
    }
    const output = command.run(ctx, input, recorded)
    const value = isAsyncIterable(output) ? output : await output
    printWarnings(ctx)
    // The work does not depend on the output: changes are delivered even if the output fails.
    const result = await receive(value, { command, ctx, input }).finally(() => ctx.afterOutput.runWork())
    const { error } = ctx.afterOutput
    if (error) throw error
    return result
  })
}

/** Whether a property of a command applies to this input. */
export function isEnabled(value: CommandModule<AnyInput>['messageReplacesValue'], input: AnyInput): boolean {
  return typeof value === 'function' ? value(input) : value === true
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
