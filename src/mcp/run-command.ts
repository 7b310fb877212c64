import { PassThrough } from 'node:stream'
import type { AnyInput, CommandModule, Invocation } from '../cli/command.js'
import type { CommonOptions } from '../cli/context/terminal.js'
import { type ContextOptions, printWarnings, withContext } from '../cli/context/with-context.js'
import type { Context } from '../cli/context.js'
import type { Host } from '../cli/host.js'
import { resultOf } from '../cli/output/print-result.js'
import type { TextStream } from '../cli/output/text-stream.js'
import { readInput } from '../cli/read-input.js'
import { TtError } from '../lib/errors.js'
import type { CallConfirmation } from './confirmation.js'
import { ToolTerminal } from './tool-terminal.js'

/** The process and the options of the command that serves the tools. */
export interface Caller {
  host: Host
  /** They select the profile with which the server started. */
  options: CommonOptions
  /** The key of its client state, which changes if the profile becomes that of another account. */
  stateKey: string
}

/** The result of a command that a tool has run. */
export interface CommandResult {
  value: unknown
  hasChanges: boolean
}

/**
 * Runs a command for a client, in a context of its own: it reads all state anew, and holds none afterwards.
 *
 * @param messages receives the messages and warnings of the command, also when it fails
 * @param confirmation confirms changes; without it, those that need a confirmation fail
 * @returns what the command prints with --json, and whether it has changed a record
 */
export async function runCommand(
  invocation: Invocation,
  caller: Caller,
  messages: string[],
  confirmation?: CallConfirmation,
): Promise<CommandResult> {
  const command = await invocation.command.load()
  const flag = (value: CommandModule<AnyInput>['messageReplacesValue']) =>
    typeof value === 'function' ? value(invocation.input) : value === true
  return inContext(
    caller,
    messages,
    async (ctx) => {
      const input = await readInput(invocation, ctx)
      const value = await command.run(ctx, input)
      const json = jsonOf(command, value, ctx, input)
      printWarnings(ctx)
      await ctx.afterOutput.runWork()
      const { error } = ctx.afterOutput
      if (error) throw error
      return { value: json, hasChanges: ctx.hooks.hasChanges }
    },
    {
      canQueue: command.canQueue === true,
      allowsUnreadableSettings: flag(command.allowsUnreadableSettings),
      createTerminal: (...parts) => new ToolTerminal(confirmation, ...parts),
    },
  )
}

/** Runs `work` in a context without terminal, whose messages and warnings go to `messages`. */
async function inContext<Result>(
  { host, options, stateKey }: Caller,
  messages: string[],
  work: (ctx: Context) => Promise<Result>,
  flags: Pick<ContextOptions, 'canQueue' | 'allowsUnreadableSettings' | 'createTerminal'> = {},
): Promise<Result> {
  const stderr = collector(messages)
  const silent = { stdin: noInput(), stdout: collector([]), stderr, promptOutput: new PassThrough() }
  return withContext(
    { host: { ...host, ...silent }, options: { ...options, input: false, usesValue: true }, ...flags },
    (ctx) => {
      if (ctx.config.profile.stateKey === stateKey) return work(ctx)
      throw new TtError(
        'failure',
        `The profile "${ctx.config.profile.name}" belongs to another account now.`,
        {
          hint: 'Restart the server to use it.',
        },
      )
    },
  )
}

/** Returns what a command prints with --json. */
function jsonOf(command: CommandModule<AnyInput>, value: unknown, ctx: Context, input: AnyInput): unknown {
  const result = resultOf(command, value, ctx, input)
  switch (result.kind) {
    case 'none':
      return null
    case 'json':
      return result.value
    case 'record':
      return result.view.json(result.row)
    case 'records':
      return result.rows.map((row) => result.view.json(row))
    case 'summary':
      return result.summary.record
    default:
      throw new TtError('failure', 'Nothing was changed.')
  }
}

function collector(texts: string[]): TextStream {
  return {
    write(text, done) {
      const line = text.trim()
      if (line !== '') texts.push(line)
      done?.()
    },
  }
}

function noInput() {
  const input = new PassThrough()
  input.end()
  return input
}
