import { hostOf } from '../config/profile.js'
import { version } from '../lib/version.js'
import { formatFor } from '../ui/formats/render.js'
import { escapeLines } from '../ui/text.js'
import type { AnyInput, CommandModule, Invocation } from './command.js'
import { type ContextOptions, printWarnings, withContext } from './context/with-context.js'
import type { Context } from './context.js'
import type { Host } from './host.js'
import { printResult, resultOf } from './output/print-result.js'
import type { Stdout } from './output/stdout.js'
import { readInput } from './read-input.js'

/**
 * Loads and runs a command, and writes its value in the format of the options. Throws the errors of the command, and
 * after its output the error of `ctx.afterOutput.fail`.
 */
export async function run(invocation: Invocation, host: Host, output: Stdout): Promise<void> {
  const { output: typed } = invocation.input.options
  const extensions =
    typed === undefined || typed === '-' ? undefined : (await invocation.command.load()).fileExtensions
  if (!extensions) return runFiltered(invocation, host, output)
  const [{ FileOutput }, { namingSources }] = await Promise.all([
    import('./output/file-output.js'),
    import('../lib/naming-sources.js'),
  ])
  const file = new FileOutput(invocation, host, { typed, extensions })
  try {
    await runFiltered(file.invocation, file.host, file, file.createTerminal)
  } catch (error) {
    file.discard()
    throw namingSources(error, file.sources)
  }
}

type CreateTerminal = ContextOptions['createTerminal']

/** Runs a command, and filters its output if there is an expression. */
async function runFiltered(
  invocation: Invocation,
  host: Host,
  output: Stdout,
  createTerminal?: CreateTerminal,
): Promise<void> {
  if (invocation.input.options.jq === undefined) return runCommand(invocation, host, output, createTerminal)
  const { filterOutput } = await import('./output/jq-output.js')
  await runCommand(...(await filterOutput(invocation, host, output)), createTerminal)
}

async function runCommand(
  invocation: Invocation,
  host: Host,
  output: Stdout,
  createTerminal?: CreateTerminal,
): Promise<void> {
  const { options } = invocation.input
  const format = formatFor(options, host.stdout.isTTY === true)
  const command = await invocation.command.load()
  const isEnabled = (value: CommandModule<AnyInput>['messageReplacesValue']) =>
    typeof value === 'function' ? value(invocation.input) : value === true
  const flags = {
    canQueue: command.canQueue === true,
    allowsUnreadableSettings: isEnabled(command.allowsUnreadableSettings),
    ...(createTerminal && { createTerminal }),
  }
  await withContext({ host, options, ...flags }, async (ctx) => {
    if (options.debug) host.stderr.write(escapeLines(environmentText(ctx)))
    const input = await readInput(invocation, ctx)
    const result = command.run(ctx, input)
    const isReplaced = format === 'table' && isEnabled(command.messageReplacesValue)
    const print = async (value: unknown) => {
      const result = isReplaced ? { kind: 'nothing' as const } : resultOf(command, value, ctx, input)
      await printResult(result, format, ctx, output)
      await output.endResult()
    }
    if (isAsyncIterable(result)) {
      for await (const record of result) {
        await print(record)
        if (output.isClosed) break
      }
    } else {
      const value = await result
      printWarnings(ctx)
      // The work does not depend on the output: changes are delivered even if the output fails.
      await print(value).finally(() => ctx.afterOutput.runWork())
    }
    const { error } = ctx.afterOutput
    if (error) throw error
  })
}

/** Returns versions, platform and profile for the trace of --debug. */
function environmentText(ctx: Context): string {
  const { versions, platform, arch } = process
  return `tt ${version}, Node ${versions.node}, ${platform} ${arch}, profile ${profileOf(ctx)}`
}

function profileOf(ctx: Context): string {
  try {
    const { profile } = ctx.config
    return profile.hasDelivery ? `${profile.name} at ${hostOf(profile)}` : profile.name
  } catch {
    return 'unknown' // A command that needs the profile reports the error.
  }
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}
