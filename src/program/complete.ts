import type { Command } from 'commander'
import type { Tree } from '../completion/line.js'
import { declareInside, defaultOf, type Lazily } from './declaring.js'

/** `tt __complete -- WORD...`, which those scripts call: it is in no list of commands. */
export function declareComplete(program: Command, lazily: Lazily, root: Tree['root']) {
  const topics = async () =>
    (await import('./topics.js')).topics.map(({ name, summary }) => ({ value: name, description: summary }))
  const tree: Tree = { root, declareInside, defaultOf, topics }
  program
    .command('__complete')
    .argument('[words...]')
    .allowUnknownOption()
    .action(lazily(async () => (await import('../commands/complete.js')).completing(tree)))
}
