import { join } from 'node:path'
import { TtError } from '../../lib/errors.js'
import { ConfigFileError, readConfigFile } from '../config-file.js'
import type { Paths } from '../paths.js'

/** Returns the path of the settings file: a JSON object with the text of each setting. */
export function settingsPath(paths: Paths): string {
  return join(paths.config, 'config.json')
}

/**
 * Returns the values of `config.json`, unchecked; undefined if there is no file. Throws TtError `usage` for a file
 * that cannot be read (see `readConfigFile`) or is not a JSON object.
 */
export function storedValues(paths: Paths): Record<string, unknown> | undefined {
  const path = settingsPath(paths)
  let text: string | undefined
  try {
    text = readConfigFile(path)?.text
  } catch (cause) {
    if (!(cause instanceof ConfigFileError)) throw cause
    throw invalidFileError(path, cause.message, cause)
  }
  return text === undefined ? undefined : parseObject(path, text)
}

function parseObject(path: string, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalidFileError(path, 'is not JSON', cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidFileError(path, 'is not a JSON object')
  return value as Record<string, unknown>
}

function invalidFileError(path: string, flaw: string, cause?: unknown): TtError {
  return new TtError('usage', `The settings file ${path} ${flaw}.`, {
    hint: 'Correct it or move it away. It contains names and values, such as {"week_start": "sunday"}.',
    ...(cause === undefined ? {} : { cause }),
  })
}
