import type { NextStep } from '../lib/next-step.js'
import { Terminal } from './context/terminal.js'
import type { ContextOptions } from './context/with-context.js'
import type { Context } from './context.js'
import type { Host } from './host.js'
import { nextStepText } from './next-step-text.js'

/** What a nested command would have printed to stderr. */
export interface NestedMessage {
  kind: 'message' | 'warning'
  text: string
}

interface NestedOptions {
  onMessage(message: NestedMessage): void
  /** Whether it may prompt, because it has the terminal for itself. */
  canPrompt?: boolean
}

/**
 * Returns the options of the context of other commands within a command that stays open: with the current time, the same
 * profile, and without prompts unless `canPrompt`. Passes their messages on, also before an error.
 */
export function nestedOptions(
  outer: Context,
  { onMessage, canPrompt = false }: NestedOptions,
): ContextOptions {
  const { profile } = outer.config
  const silent = { stderr: { write: () => true } }
  return {
    host: canPrompt ? outer.host : Object.assign(Object.create(outer.host) as Host, silent),
    options: {
      // The profile stays the same when another process selects another one. Its name does not select that of TT_TOKEN.
      ...(profile.isNamed ? { profile: profile.name } : {}),
      color: false,
      // It sends changes in this process, which stays open.
      wait: true,
      ...(outer.options.hooks === undefined ? {} : { hooks: outer.options.hooks }),
    },
    allowsUnreadableSettings: true,
    createTerminal: (...parts) => new NestedTerminal({ onMessage, canPrompt }, ...parts),
  }
}

/** Passes messages and warnings on. */
class NestedTerminal extends Terminal {
  readonly #onMessage: NestedOptions['onMessage']
  readonly #canPrompt: boolean

  constructor(
    { onMessage, canPrompt = false }: NestedOptions,
    ...parts: ConstructorParameters<typeof Terminal>
  ) {
    super(...parts)
    this.#onMessage = onMessage
    this.#canPrompt = canPrompt
  }

  override message(text: string) {
    this.#onMessage({ kind: 'message', text })
  }

  override warn(text: string, nextStep?: NextStep) {
    this.#onMessage({ kind: 'warning', text: nextStep ? `${text} ${nextStepText(nextStep)}` : text })
  }

  override get isInteractive(): boolean {
    return this.#canPrompt && super.isInteractive
  }

  override get cannotPromptReason(): string {
    return 'Run the command itself in a shell to answer.'
  }
}
