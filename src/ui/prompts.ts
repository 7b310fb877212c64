import { confirm, search } from '@inquirer/prompts'
import { TtError } from '../errors.js'

export interface Choice<Value> {
  name: string
  value: Value
}

/** Questions to a person. They are asked on stderr, so that stdout stays data. */
export interface Prompts {
  select<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value>
  confirm(message: string): Promise<boolean>
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
