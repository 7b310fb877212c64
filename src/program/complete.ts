import type { CommandTree } from '../completion/command-line.js'
import { declareChildren, defaultCommand, type Invocation } from './lazy-commands.js'

/**
 * What `tt __complete -- WORD...` asks for, which the scripts in completions/ call: it is in no list of commands.
 *
 * @param given the words after `__complete`
 */
export function completionOf(given: readonly string[], root: CommandTree['root']): Invocation {
  const topics = async () =>
    (await import('./topics.js')).topics.map(({ name, summary }) => ({ value: name, description: summary }))
  const tree: CommandTree = { root, declareInside: declareChildren, defaultOf: defaultCommand, topics }
  return {
    load: async () => (await import('../commands/complete.js')).completeCommand(tree),
    operands: [given[0] === '--' ? given.slice(1) : given],
    options: {},
  }
}
