import { confirm, password, input as promptLine, search } from '@inquirer/prompts'
import { CancelledPrompt } from '../lib/errors.js'
import { fold } from '../lib/text/nearest-names.js'
import { type Choice, Picker, type PickerOptions, type PickerOutput, pick, pickerHelp } from './picker.js'
import { escapeLines, escapeText, shortenText } from './text.js'
import type { Style } from './view.js'

export type { Choice } from './picker.js'

/** Prompts, which are written to stderr because stdout is for data. */
export interface Prompts {
  /** Returns the selected choice; typing filters the choices by words, in any order. */
  select<Value>(
    message: string,
    choices: readonly Choice<Value>[],
    options?: PickerOptions<Value>,
  ): Promise<Value>
  /** Returns a typed line or one of the suggestions; empty for Enter alone. */
  textWithHistory(message: string, suggestions: readonly string[]): Promise<string>
  confirm(message: string): Promise<boolean>
  /**
   * Returns a line of text, never empty unless it is optional; Enter alone accepts the suggestion. Rejects when the signal
   * aborts.
   */
  text(message: string, options?: TextOptions): Promise<string>
  /** Returns a line that is not shown while typing; may be empty. */
  secret(message: string): Promise<string>
}

interface TextOptions {
  suggestion?: string | undefined
  isOptional?: boolean
  signal?: AbortSignal
  /** Returns the problem with an invalid line, which is then prompted for again. */
  findProblem?(line: string): string | undefined
}

/** Returns prompts on these terminal streams. They throw TtError `interrupted` on Ctrl-C. */
export function createPrompts(input: NodeJS.ReadableStream, output: PickerOutput, style: Style): Prompts {
  const streams = { input, output }
  // Two columns are for the arrow; the last one stays empty because a full line wraps on some terminals.
  const onOneLine = (text: string) => shortenText(escapeText(text), (output.columns || 80) - 3)
  const matcherFor = (typed = '') => {
    const words = fold(typed).split(/[\s/]+/)
    return (name: string) => words.every((word) => fold(name).includes(word))
  }
  return {
    select: (message, choices, options) =>
      pick(new Picker(choices, options), message, { input, output, style }),
    textWithHistory(message, suggestions) {
      const help = ['type a note, or choose a recent one', ...pickerHelp.slice(0, 2), 'Ctrl-C cancel'].join(
        ' • ',
      )
      const theme = { style: { keysHelpTip: () => style.dim(shortenText(help, (output.columns || 80) - 1)) } }
      const source = (typed?: string) => {
        // The typed text is first, so that Enter accepts it and not a suggestion that contains it.
        const first =
          typed === undefined ? { name: 'No notes', value: '' } : { name: onOneLine(typed), value: typed }
        const matches = suggestions.filter(matcherFor(typed)).filter((text) => text !== typed)
        return [first, ...matches.map((value) => ({ name: onOneLine(value), value }))]
      }
      return interruptible(() => search({ message: safe(message), source, theme }, streams))
    },
    confirm: (message) => interruptible(() => confirm({ message: safe(message), default: false }, streams)),
    text: (message, { suggestion, isOptional = false, signal, findProblem } = {}) =>
      interruptible(() =>
        promptLine(
          {
            message: safe(message),
            required: !isOptional,
            ...(suggestion === undefined ? {} : { default: escapeText(suggestion) }),
            ...(findProblem ? { validate: (text) => safe(findProblem(text) ?? '') || true } : {}),
          },
          signal ? { ...streams, signal } : streams,
        ),
      ),
    secret: (message) => interruptible(() => password({ message: safe(message) }, streams)),
  }
}

/** Returns the message without control characters, which names from a service may contain. */
function safe(message: string): string {
  return escapeLines(message).slice(0, -1)
}

async function interruptible<Value>(prompt: () => Promise<Value>): Promise<Value> {
  try {
    return await prompt()
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new CancelledPrompt('interrupted', { cause: error })
    }
    throw error
  }
}
