import { join } from 'node:path'
import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { ConfigFileError, readJsonFile } from '../config-file.js'
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
  try {
    const value = readJsonFile(path)
    if (value === undefined || isObject(value)) return value
    throw new ConfigFileError('is not a JSON object')
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    throw new TtError('usage', `The settings file ${path} ${error.message}.`, {
      hint: 'Correct it or move it away. It contains names and values, such as {"week_start": "sunday"}.',
      cause: error,
    })
  }
}
