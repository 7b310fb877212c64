import { type Expansion, expandAlias } from '../config/alias-expansion.js'
import { type Aliases, readAliases } from '../config/aliases.js'
import { type Environment, pathsFor } from '../config/paths.js'
import { isCommand } from './command-list.js'

/** Expands the alias at the beginning of a command line; see `expandAlias`. Throws TtError `usage`. */
export function expandLine(argv: readonly string[], env: Environment): Expansion | undefined {
  return expandAlias(argv, readAliases(pathsFor(env)), isCommand)
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
