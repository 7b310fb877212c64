import type { Invocation } from '../cli/command.js'
import { isCommand } from './command-list.js'
import type { CommandTree } from './completion/command-line.js'

/**
 * Returns the invocation of `tt __complete -- WORD...`, a hidden command that the scripts in completions/ call.
 *
 * @param args the arguments after `__complete`
 */
export function completionInvocation(
  args: readonly string[],
  commands: Pick<CommandTree, 'root' | 'names'>,
): Invocation {
  const topics = async () =>
    (await import('./help/topics.js')).topics.map(({ name, summary }) => ({
      value: name,
      description: summary,
    }))
  const tree: CommandTree = { ...commands, isCommand, topics }
  return {
    name: 'tt __complete',
    command: { load: async () => (await import('../commands/complete.js')).createCompleteCommand(tree) },
    input: { args: { words: args[0] === '--' ? args.slice(1) : args }, options: {} },
  }
}
