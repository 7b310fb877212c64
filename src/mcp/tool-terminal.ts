import { type ConfirmOptions, Terminal } from '../cli/context/terminal.js'
import { escapeLines } from '../ui/text.js'
import type { CallConfirmation } from './confirmation.js'

/** The terminal of a command that a tool runs: the client confirms changes for its user. */
export class ToolTerminal extends Terminal {
  readonly #confirmation: CallConfirmation

  constructor(confirmation: CallConfirmation, ...parts: ConstructorParameters<typeof Terminal>) {
    super(...parts)
    this.#confirmation = confirmation
  }

  override get confirmsSeveral(): boolean {
    return true
  }

  /** Returns true for a change that the user has confirmed. Otherwise throws an error, before anything is changed. */
  override async confirm(
    question: string,
    facts?: string,
    { subject }: ConfirmOptions = {},
  ): Promise<boolean> {
    const text = [facts, question].filter((part) => part !== undefined).join('\n')
    this.#confirmation.require(escapeLines(text).trimEnd(), subject)
    return true
  }
}
