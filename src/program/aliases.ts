import { commonOptions } from '../cli/common-options.js'
import { type Aliases, type Expansion, expandAlias, readAliases } from '../config/aliases.js'
import { type Environment, pathsFor } from '../config/paths.js'
import { TtError } from '../lib/errors.js'
import { isCommand } from './command-list.js'

/**
 * Expands the alias at the beginning of a command line, also after options of every command; see `expandAlias`.
 *
 * Throws TtError `usage`, also for options before a shell alias.
 */
export function expandLine(argv: readonly string[], env: Environment): Expansion | undefined {
  const start = commandIndex(argv)
  const name = argv[start]
  if (name === undefined || isCommand(name)) return undefined
  const options = argv.slice(0, start)
  const expansion = expandAlias(argv.slice(start), readAliases(pathsFor(env)), isCommand)
  if (!expansion || options.length === 0) return expansion
  if (expansion.kind === 'command') return { ...expansion, words: [...options, ...expansion.words] }
  throw new TtError('usage', `"${name}" is a shell alias, and takes no options of tt before its name.`, {
    hint: `Omit ${options.join(' ')}, or add it to the commands in the alias.`,
  })
}

const optionsWithValue: readonly string[] = Object.keys(commonOptions).flatMap((flags) =>
  flags.includes('<') ? flags.slice(0, flags.indexOf(' ')) : [],
)

/** Returns the index of the first word after the common options. */
function commandIndex(argv: readonly string[]): number {
  let index = 0
  while (argv[index]?.startsWith('-') && argv[index] !== '--')
    index += optionsWithValue.includes(argv[index] ?? '') ? 2 : 1
  return index
}

/** Returns the aliases that are not names of commands; none if they cannot be read, because help must always work. */
export function usableAliases(env: Environment): Aliases {
  try {
    const aliases = Object.entries(readAliases(pathsFor(env)))
    return Object.fromEntries(aliases.filter(([name]) => !isCommand(name)))
  } catch {
    return {}
  }
}
