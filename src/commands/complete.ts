import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { formatCandidates } from '../program/completion/candidates.js'
import type { CommandTree } from '../program/completion/command-line.js'
import { completeWord } from '../program/completion/complete-word.js'
import { KnownRecords } from '../program/completion/known-records.js'

/** Creates `tt __complete`, which the scripts in completions/ call, for the given command tree. */
export function createCompleteCommand(tree: CommandTree) {
  return {
    text: (lines: unknown) => [String(lines)],

    /** Returns the candidates for the last word, one per line; undefined for none. */
    async run(
      { host }: Context,
      { args: { words } }: Input<{ args: { '[words...]': string } }>,
    ): Promise<string | undefined> {
      const records = (profile: string | undefined) =>
        new KnownRecords({ env: host.env, cwd: host.cwd(), profile })
      try {
        return formatCandidates(await completeWord(words, { tree, records })) || undefined
      } catch {
        return undefined // The user is typing: the command itself prints errors when it is run.
      }
    },
  }
}
