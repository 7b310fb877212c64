import { hostOf } from '../config/profile.js'
import { version } from '../lib/version.js'
import { formatFor } from '../ui/formats/render.js'
import { escapeLines } from '../ui/text.js'
import type { Invocation } from './command.js'
import type { ContextOptions } from './context/with-context.js'
import type { Context } from './context.js'
import { execute, isAsyncIterable, isEnabled } from './execute.js'
import type { Host } from './host.js'
import { printResult, resultOf } from './output/print-result.js'
import type { Stdout } from './output/stdout.js'

/** A command of a command line, and where its output goes. */
export interface CommandRun {
  invocation: Invocation
  host: Host
  output: Stdout
  createTerminal?: ContextOptions['createTerminal']
}

/** Runs the command of a command line, and writes its value in the format of the options; see `execute`. */
export async function run(invocation: Invocation, host: Host, output: Stdout): Promise<void> {
  const { output: typed } = invocation.input.options
  const extensions =
    typed === undefined || typed === '-' ? undefined : (await invocation.command.load()).fileExtensions
  if (!extensions) return runFiltered({ invocation, host, output })
  const { FileOutput } = await import('./output/file-output.js')
  const file = new FileOutput(invocation, host, { typed, extensions })
  try {
    await runFiltered(file.run)
  } catch (error) {
    file.discard()
    throw error
  }
}

/** Runs a command, and filters its output if there is an expression. */
async function runFiltered(run: CommandRun): Promise<void> {
  if (run.invocation.input.options.jq === undefined) return runAndPrint(run)
  const { filterOutput } = await import('./output/jq-output.js')
  await runAndPrint(await filterOutput(run))
}

async function runAndPrint({ invocation, output, ...context }: CommandRun): Promise<void> {
  const { host } = context
  const { nameOption } = invocation
  const { options } = invocation.input
  const format = formatFor(options, host.stdout.isTTY === true, nameOption)
  const prepare = (ctx: Context) => {
    if (options.debug) host.stderr.write(escapeLines(environmentText(ctx)))
  }
  await execute(invocation, { ...context, options, prepare }, async (value, { command, ctx, input }) => {
    const isReplaced = format === 'table' && isEnabled(command.messageReplacesValue, invocation.input)
    const print = async (value: unknown) => {
      const result = isReplaced ? { kind: 'nothing' as const } : resultOf(command, value, ctx, input)
      await printResult(result, format, ctx, output)
      await output.endResult()
    }
    if (!isAsyncIterable(value)) return print(value)
    for await (const record of value) {
      await print(record)
      if (output.isClosed) break
    }
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
