import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { TtError } from '../lib/errors.js'
import { isObject } from '../lib/is-object.js'
import { ConfigFileError, configLimitBytes, parseJson, readJsonFile } from './config-file.js'
import { configLockPath, type Paths } from './paths.js'

/** The expansions of the aliases of this user by their names. One that begins with `!` is a shell command. */
export type Aliases = Record<string, string>

/** Returns the path of the file with the aliases: a JSON object, see `Aliases`. */
export function aliasesPath(paths: Paths): string {
  return join(paths.config, 'aliases.json')
}

/** Returns the aliases of this user; none if there is no file. Throws TtError `usage` for an invalid file. */
export function readAliases(paths: Paths): Aliases {
  const path = aliasesPath(paths)
  try {
    const value = readJsonFile(path)
    return value === undefined ? {} : checkAliases(value)
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    throw new TtError('usage', `The alias file ${path} ${error.message}.`, {
      hint: 'Correct it or move it away. It contains names and commands, such as {"now": "status"}.',
      cause: error,
    })
  }
}

/** Returns the aliases in a text of the same form as the alias file. Throws ConfigFileError. */
export function parseAliases(text: string): Aliases {
  return checkAliases(parseJson(text.replace(/^\ufeff/, '')))
}

/** Returns the value as aliases. Throws ConfigFileError. */
export function checkAliases(value: unknown): Aliases {
  if (!isObject(value)) throw new ConfigFileError('is not a JSON object')
  for (const [name, expansion] of Object.entries(value)) {
    if (typeof expansion !== 'string') throw new ConfigFileError(`has a value for "${name}" that is not text`)
    // No argument of a program can contain one.
    if (expansion.includes('\0')) throw new ConfigFileError(`has a value for "${name}" with a NUL character`)
  }
  return value as Aliases
}

/**
 * Changes the aliases under a lock and writes the file atomically. An error of `change` leaves it unchanged. A symlink to
 * the file is preserved.
 */
export async function changeAliases<Result>(
  paths: Paths,
  change: (aliases: Aliases) => Result,
): Promise<Result> {
  const [{ withLock }, { writePrivateFile }] = await Promise.all([
    import('../lib/lock.js'),
    import('../lib/private-file.js'),
  ])
  return withLock(configLockPath(paths), async () => {
    const aliases = readAliases(paths)
    const result = change(aliases)
    const path = aliasesPath(paths)
    const text = `${JSON.stringify(aliases, null, 2)}\n`
    if (Buffer.byteLength(text) > configLimitBytes)
      throw new TtError('usage', `${path} would become larger than 64 KiB.`, {
        hint: 'Use shorter aliases, or remove some.',
      })
    writePrivateFile(linkTarget(path), text)
    return result
  })
}

function linkTarget(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // There is no file yet.
  }
}

/** What an alias stands for. */
export type Expansion =
  | { kind: 'command'; words: string[] }
  /** A script for `sh -c`, with its arguments `$1`, `$2`, …. */
  | { kind: 'shell'; script: string; args: string[] }

const shellMark = '!'
/** Matches a parameter of a shell script: `$1`, `${1}`, `$@`, `$*`, `$#`. */
const shellParameter = /\$\{?[\d@*#]/

export function isShellExpansion(expansion: string): boolean {
  return expansion.startsWith(shellMark)
}

/**
 * Replaces the alias at the beginning of a command line, also in its expansion. Returns undefined if the first word is no
 * alias; a command is never one.
 *
 * Throws TtError `usage` for an alias that contains itself, for missing arguments and for a quote without end.
 */
export function expandAlias(
  line: readonly string[],
  aliases: Aliases,
  isCommand: (name: string) => boolean,
): Expansion | undefined {
  const chain: string[] = []
  let words = [...line]
  for (;;) {
    const [name = '', ...args] = words
    const expansion = Object.hasOwn(aliases, name) && !isCommand(name) ? aliases[name] : undefined
    if (expansion === undefined) return chain.length > 0 ? { kind: 'command', words } : undefined
    if (chain.includes(name))
      throw new TtError('usage', `The alias "${name}" contains itself: ${[...chain, name].join(' → ')}.`, {
        hint: 'Set one of these aliases to another command, or remove it.',
      })
    chain.push(name)
    if (isShellExpansion(expansion)) return shellExpansion(expansion.slice(shellMark.length), args)
    words = substitute(name, expansion, args)
  }
}

/** Arguments that the script does not use are appended to it, as git does. */
function shellExpansion(script: string, args: string[]): Expansion {
  const isUnused = args.length > 0 && !shellParameter.test(script)
  return { kind: 'shell', script: isUnused ? `${script} "$@"` : script, args }
}

/** Returns the words of an expansion with its placeholders replaced, and the arguments after the last placeholder. */
function substitute(name: string, expansion: string, args: readonly string[]): string[] {
  let used = 0
  const words = splitWords(expansion, (number) => {
    used = Math.max(used, number)
    return args[number - 1] ?? ''
  })
  if (used > args.length)
    throw new TtError(
      'usage',
      `The alias "${name}" needs ${used === 1 ? 'an argument' : `${used} arguments`}.`,
      {
        hint: `It stands for: ${expansion}`,
      },
    )
  return [...words, ...args.slice(used)]
}

/**
 * Splits a text into words by the rules of quoting of a POSIX shell. `$1` to `$9` are placeholders, also within quotes,
 * and a value is never split; a backslash before the dollar sign prevents that outside of single quotes. Nothing else is
 * special.
 *
 * Throws TtError `usage` for a quote without end.
 */
export function splitWords(text: string, placeholderValue: (number: number) => string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    const next = text.charAt(index + 1)
    if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    word ??= ''
    if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (
      character === '\\' &&
      next !== '' &&
      (quote === '' || (quote === '"' && '$"\\`'.includes(next)))
    ) {
      word += next
      index += 1
    } else if (character === '$' && /[1-9]/.test(next)) {
      word += placeholderValue(Number(next))
      index += 1
    } else word += character
  }
  if (quote !== '')
    throw new TtError('usage', `A quote (${quote}) has no end in: ${text}`, { hint: 'Close the quote.' })
  return word === undefined ? words : [...words, word]
}
