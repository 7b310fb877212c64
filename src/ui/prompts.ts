import { confirm, input as line, password, search } from '@inquirer/prompts'
import { TtError } from '../errors.js'

export interface Choice<Value> {
  name: string
  value: Value
}

/** Questions to a person. They are asked on stderr, so that stdout stays data. */
export interface Prompts {
  select<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value>
  confirm(message: string): Promise<boolean>
  /** One line of text, never empty; Enter alone takes the suggestion. Rejects when the signal says so. */
  text(message: string, options?: TextOptions): Promise<string>
  /** One line that is not shown; empty when nothing was typed. */
  secret(message: string): Promise<string>
}

export interface TextOptions {
  suggestion?: string | undefined
  signal?: AbortSignal
  /** What is wrong with a line, which is then asked for again. */
  flawOf?(line: string): string | undefined
}

/** Prompts over the given terminal streams. Throws TtError `interrupted` on Ctrl-C. */
export function createPrompts(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompts {
  const streams = { input, output }
  return {
    select: (message, choices) =>
      answered(() =>
        search(
          {
            message,
            source: (term) => choices.filter((choice) => contains(choice.name, term ?? '')),
          },
          streams,
        ),
      ),
    confirm: (message) => answered(() => confirm({ message, default: false }, streams)),
    text: (message, { suggestion, signal, flawOf } = {}) =>
      answered(() =>
        line(
          {
            message,
            required: true,
            ...(suggestion === undefined ? {} : { default: suggestion }),
            ...(flawOf ? { validate: (text) => flawOf(text) ?? true } : {}),
          },
          signal ? { ...streams, signal } : streams,
        ),
      ),
    secret: (message) => answered(() => password({ message }, streams)),
  }
}

async function answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new TtError('interrupted', 'Interrupted. Nothing was changed.', { cause: error })
    }
    throw error
  }
}

function contains(name: string, typed: string): boolean {
  const words = typed.toLowerCase().split(/\s+/)
  return words.every((word) => name.toLowerCase().includes(word))
}
