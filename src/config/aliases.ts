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
