import type { Context } from '../cli/context.js'
import { formatCandidates } from '../completion/candidates.js'
import type { CommandTree } from '../completion/command-line.js'
import { complete } from '../completion/complete.js'
import { KnownRecords } from '../completion/known-records.js'

/** `tt __complete`, which the scripts in completions/ call, over that command tree. */
export function completeCommand(tree: CommandTree) {
  return {
    text: (lines: unknown) => [String(lines)],

    /** What may stand in the place of the last word, in lines as `asLines` writes them. */
    async run({ host }: Context, words: string[]): Promise<string | undefined> {
      const records = (profile: string | undefined) =>
        new KnownRecords({ env: host.env, cwd: host.cwd(), profile })
      try {
        return formatCandidates(await complete(words, { tree, records })) || undefined
      } catch {
        return undefined // Somebody is typing: whatever is wrong is told by the command, when it is run.
      }
    },
  }
}
