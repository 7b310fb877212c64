import { confirm, input as line, password, search } from '@inquirer/prompts'
import { TtError } from '../lib/errors.js'
import { escapeLines, escapeText, shortenText } from './text.js'

export interface Choice<Value> {
  name: string
  value: Value
}

/** Questions to a person. They are asked on stderr, so that stdout stays data. */
export interface Prompts {
  /** One of the choices, which typing filters by its words, in any order. */
  select<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value>
  /** A line that is typed, or one of those that are known; empty when Enter alone answers. */
  textWithHistory(message: string, suggestions: readonly string[]): Promise<string>
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
  problemWith?(line: string): string | undefined
}

export interface PromptOptions {
  /** The width of the terminal: no choice takes more than a line of it. */
  columns: number | undefined
  /** What makes a name and what is typed the same, whatever their case and accents. */
  fold(text: string): string
}

/** Prompts over the given terminal streams. Throws TtError `interrupted` on Ctrl-C. */
export function createPrompts(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  { columns = 80, fold }: PromptOptions,
): Prompts {
  const streams = { input, output }
  // Before each stands the arrow, and the last column stays free: a terminal that is full there begins a new line.
  const onOneLine = (text: string) => shortenText(escapeText(text), columns - 3)
  const matcherFor = (typed = '') => {
    const words = fold(typed).split(/[\s/]+/)
    return (name: string) => words.every((word) => fold(name).includes(word))
  }
  return {
    select(message, choices) {
      const entries = choices.map(({ name, value }) => ({ name: onOneLine(name), value, fullName: name }))
      const source = (typed?: string) => {
        const fits = matcherFor(typed)
        return entries.filter(({ fullName: whole }) => fits(whole))
      }
      return interruptible(() => search({ message: safe(message), source }, streams))
    },
    textWithHistory(message, suggestions) {
      const source = (typed?: string) => {
        // What was typed comes first: Enter takes that, and not what it happens to be a part of.
        const first =
          typed === undefined ? { name: 'None', value: '' } : { name: onOneLine(typed), value: typed }
        const matches = suggestions.filter(matcherFor(typed)).filter((text) => text !== typed)
        return [first, ...matches.map((value) => ({ name: onOneLine(value), value }))]
      }
      return interruptible(() => search({ message: safe(message), source }, streams))
    },
    confirm: (message) => interruptible(() => confirm({ message: safe(message), default: false }, streams)),
    text: (message, { suggestion, signal, problemWith } = {}) =>
      interruptible(() =>
        line(
          {
            message: safe(message),
            required: true,
            ...(suggestion === undefined ? {} : { default: escapeText(suggestion) }),
            ...(problemWith ? { validate: (text) => safe(problemWith(text) ?? '') || true } : {}),
          },
          signal ? { ...streams, signal } : streams,
        ),
      ),
    secret: (message) => interruptible(() => password({ message: safe(message) }, streams)),
  }
}

/** A message of one or several lines that cannot drive the terminal: names of a service are among them. */
function safe(message: string): string {
  return escapeLines(message).slice(0, -1)
}

async function interruptible<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new TtError('interrupted', 'Interrupted. Nothing was changed.', { cause: error })
    }
    throw error
  }
}
