import { type ConfirmOptions, Terminal } from '../cli/context/terminal.js'
import type { NextStep } from '../lib/next-step.js'
import { escapeLines } from '../ui/text.js'
import type { CallConfirmation } from './confirmation.js'
import { toolStepText } from './tool-hints.js'

/** The terminal of a command that a tool runs: the client confirms changes for its user, and warnings name tools. */
export class ToolTerminal extends Terminal {
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
