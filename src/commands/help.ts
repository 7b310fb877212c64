import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import type { CommandInput, NoValues } from './shared/command.js'

/** Returns the help text for a command or topic, or the list of known names for an unknown one. */
export type PageFor = (words: readonly string[]) => Promise<string | string[]>

interface Page {
  name: string
  text: string
}

/** Creates `tt help` with the pages of the command tree. */
export function createHelpCommand(pageFor: PageFor) {
  return {
    text: (value: unknown) => (typeof value === 'string' ? [value] : undefined),
    async run(
      ctx: Context,
      { args: { command: words } }: CommandInput<NoValues, { command: string[] }>,
    ): Promise<string | Page> {
      const name = words.join(' ')
      const text = await pageFor(words)
      if (typeof text === 'string') return ctx.options.json ? { name, text } : text
      throw new TtError('usage', `Unknown command or topic "${name}".${nearestNamesText(name, text)}`, {
        hint: 'Run `tt help` to list the commands and topics.',
        candidates: nearestNames(name, text),
      })
    },
  }
}
