import { PassThrough } from 'node:stream'
import type { Invocation } from '../cli/command.js'
import { type CommonOptions, type ConfirmOptions, Terminal } from '../cli/context/terminal.js'
import { execute } from '../cli/execute.js'
import type { Host, TextStream } from '../cli/host.js'
import { type Result, resultOf } from '../cli/output/print-result.js'
import { TtError } from '../lib/errors.js'
import type { NextStep } from '../lib/next-step.js'
import { escapeLines } from '../ui/text.js'
import type { CallConfirmation } from './confirmation.js'
import { toolStepText } from './content.js'

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
  const { host, options, stateKey } = caller
  return execute(
    invocation,
    {
      host: { ...host, ...withoutTerminal(messages) },
      options: { ...options, input: false, usesValue: true },
      createTerminal: (...parts) => new ToolTerminal(confirmation, ...parts),
      prepare({ config: { profile } }) {
        if (profile.stateKey === stateKey) return
        throw new TtError('failure', `The profile "${profile.name}" belongs to another account now.`, {
          hint: 'Restart the server to use it.',
        })
      },
    },
    async (value, { command, ctx, input }) => ({
      value: jsonOf(resultOf(command, value, ctx, input)),
      hasChanges: ctx.hooks.hasChanges,
    }),
  )
}

/** Returns what a command prints with --json. */
function jsonOf(result: Result): unknown {
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

/** Returns the streams of a command without terminal, whose messages and warnings go to `messages`. */
function withoutTerminal(messages: string[]) {
  return {
    ...{ stdin: new PassThrough().end(), promptOutput: new PassThrough() },
    ...{ stdout: collector([]), stderr: collector(messages) },
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

/** The terminal of a command that a tool runs: the client confirms changes for its user, and warnings name tools. */
class ToolTerminal extends Terminal {
  readonly #confirmation: CallConfirmation | undefined

  /** @param confirmation confirms changes; without it, those that need a confirmation fail */
  constructor(confirmation: CallConfirmation | undefined, ...parts: ConstructorParameters<typeof Terminal>) {
    super(...parts)
    this.#confirmation = confirmation
  }

  override get confirmsSeveral(): boolean {
    return true
  }

  override get confirmsCreation(): boolean {
    return true
  }

  /** Returns true for a change that the user has confirmed. Otherwise throws an error, before anything is changed. */
  override async confirm(
    question: string,
    facts?: string,
    { subject }: ConfirmOptions = {},
  ): Promise<boolean> {
    if (!this.#confirmation) return super.confirm(question, facts)
    const text = [facts, question].filter((part) => part !== undefined).join('\n')
    this.#confirmation.require(escapeLines(text).trimEnd(), subject)
    return true
  }

  override warn(text: string, nextStep?: NextStep) {
    super.warn([text, nextStep && toolStepText(nextStep)].filter(Boolean).join(' '))
  }
}
