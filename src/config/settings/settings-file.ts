import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { TtError } from '../../lib/errors.js'
import { configLimitBytes } from '../config-file.js'
import type { Paths } from '../paths.js'
import { defaultSettings, type Settings } from './settings.js'
import { settingsPath, storedValues } from './stored-values.js'

export { settingsPath, storedValues }

/**
 * Returns the settings of the user, with the defaults for the rest.
 *
 * Throws TtError `usage`, which names the file and what to do, for a file that cannot be read, an unknown setting or an
 * invalid value.
 *
 * @param read returns the values of the file; undefined where there is none
 */
export async function readSettings(paths: Paths, read = storedValues): Promise<Settings> {
  const values = read(paths)
  if (!values) return defaultSettings
  // Where nothing is set, the table of settings is not loaded.
  const { settingsFrom } = await import('./setting-table.js')
  try {
    return settingsFrom(values)
  } catch (cause) {
    throw prefixError(cause, `The settings in ${settingsPath(paths)} cannot be used.`)
  }
}

/**
 * Changes what is in the file, under a lock, and writes it whole or not at all; what `change` throws leaves it as it was.
 * A link to the file stays one.
 */
export async function changeValues<Result>(
  paths: Paths,
  change: (values: Record<string, unknown>) => Result,
): Promise<Result> {
  const [{ withLock }, { writePrivateFile }] = await Promise.all([
    import('../../lib/lock.js'),
    import('../../lib/private-file.js'),
  ])
  return withLock(join(paths.state, 'config.lock'), async () => {
    const found = storedValues(paths)
    const values = found ?? {}
    const result = change(values)
    const path = settingsPath(paths)
    const text = `${JSON.stringify(values, null, 2)}\n`
    if (Buffer.byteLength(text) > configLimitBytes) {
      throw new TtError('usage', `${path} would become larger than 64 KiB.`, {
        hint: 'Use a shorter value, or remove a setting with `tt config unset NAME`.',
      })
    }
    writePrivateFile(found ? realpathSync(path) : path, text)
    return result
  })
}

/** The same error, with what it is about before it. */
export function prefixError(error: unknown, words: string): unknown {
  if (!(error instanceof TtError)) return error
  return new TtError(error.code, `${words} ${error.message}`, { hint: error.hint, cause: error })
}
