import type { Invocation } from '../cli/command.js'

/** Returns the invocation of `tt` without arguments: the day on a terminal, otherwise what `tt status` prints. */
export function dayInvocation({ isTerminal }: { isTerminal: boolean }): Invocation {
  return {
    name: isTerminal ? 'tt' : 'tt status',
    command: { load: () => (isTerminal ? import('../commands/day.js') : import('../commands/status.js')) },
    input: { args: {}, options: {} },
  }
}
