import { realpathSync } from 'node:fs'
import { TtError } from '../../lib/errors.js'
import { configLimitBytes } from '../config-file.js'
import { configLockPath, type Paths } from '../paths.js'
import { defaultSettings, type Settings, settingsPath, storedValues } from './settings.js'

export { settingsPath, storedValues }

/**
 * Returns the settings of the user, with defaults for those that are not set.
 *
 * Throws TtError `usage`, which names the file and what to do, for a file that cannot be read, an unknown setting or an
 * invalid value.
 *
 * @param read returns the values of the file; undefined if there is none
 */
export async function readSettings(paths: Paths, read = storedValues): Promise<Settings> {
  const values = read(paths)
  if (!values) return defaultSettings
  // Loaded lazily: without a settings file the table is not needed.
  const { settingsFrom } = await import('./setting-table.js')
  try {
    return settingsFrom(values)
  } catch (cause) {
    throw prefixError(cause, `The settings in ${settingsPath(paths)} cannot be used.`)
  }
}

/**
 * Changes the values of `config.json` under a lock and writes the file atomically. An error of `change` leaves it
 * unchanged. A symlink to the file is preserved.
 */
export async function changeValues<Result>(
  paths: Paths,
  change: (values: Record<string, unknown>) => Result,
): Promise<Result> {
  const [{ withLock }, { writePrivateFile }] = await Promise.all([
    import('../../lib/lock.js'),
    import('../../lib/private-file.js'),
  ])
  return withLock(configLockPath(paths), async () => {
    const found = storedValues(paths)
    const values = found ?? {}
    const result = change(values)
    const path = settingsPath(paths)
    const text = `${JSON.stringify(values, null, 2)}\n`
    if (Buffer.byteLength(text) > configLimitBytes) {
      throw new TtError('usage', `${path} would become larger than 64 KiB.`, {
        hint: 'Use a shorter value, or remove a setting.',
        nextStep: { action: 'unset', setting: 'NAME' },
      })
    }
    writePrivateFile(found ? realpathSync(path) : path, text)
    return result
  })
}

/** Returns the error with a sentence before its message; errors other than TtError unchanged. */
export function prefixError(error: unknown, prefix: string): unknown {
  if (!(error instanceof TtError)) return error
  const { code, message, hint, nextStep } = error
  return new TtError(code, `${prefix} ${message}`, { hint, nextStep, cause: error })
}
