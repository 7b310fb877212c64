import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/nearest-names.js'

/** What there is to read about these words, or, where there is nothing, what else could have been asked for. */
export type PageFor = (words: readonly string[]) => Promise<string | string[]>

interface Page {
  name: string
  text: string
}

/** `tt help`, with the pages that the command tree has. */
export function helpFrom(pageFor: PageFor) {
  return {
    text: (value: unknown) => (typeof value === 'string' ? [value] : undefined),
    async run(ctx: Context, words: string[]): Promise<string | Page> {
      const name = words.join(' ')
      const text = await pageFor(words)
      if (typeof text === 'string') return ctx.options.json ? { name, text } : text
      throw new TtError(
        'usage',
        `There is no command and no topic "${name}".${nearestNamesText(name, text)}`,
        {
          hint: '`tt help` lists what there is.',
          candidates: nearestNames(name, text),
        },
      )
    },
  }
}
