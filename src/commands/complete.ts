import type { Context } from '../cli/context.js'
import { asLines } from '../completion/candidates.js'
import type { Tree } from '../completion/command-line.js'
import { complete } from '../completion/complete.js'
import { Known } from '../completion/known-records.js'

/** `tt __complete`, which the scripts in completions/ call, over that command tree. */
export function completing(tree: Tree) {
  return {
    text: (lines: unknown) => [String(lines)],

    /** What may stand in the place of the last word, in lines as `asLines` writes them. */
    async run({ world }: Context, words: string[]): Promise<string | undefined> {
      const known = (profile: string | undefined) => new Known({ env: world.env, cwd: world.cwd(), profile })
      try {
        return asLines(await complete(words, { tree, known })) || undefined
      } catch {
        return undefined // Somebody is typing: whatever is wrong is told by the command, when it is run.
      }
    },
  }
}
