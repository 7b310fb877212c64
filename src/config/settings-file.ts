import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { TtError } from '../errors.js'
import type { Paths } from './paths.js'
import { defaultSettings, type Settings } from './settings.js'
import { settingsPath, storedValues } from './stored-values.js'

export { settingsPath, storedValues }

/**
 * What the user has set, with the defaults for the rest.
 *
 * Throws TtError `usage`, which names the file and what to do, for what is no setting or has a value that cannot be.
 */
export async function readSettings(paths: Paths): Promise<Settings> {
  const values = storedValues(paths)
  if (!values) return defaultSettings
  // Where nothing is set, the table of settings is not loaded.
  const { settingsFrom } = await import('./setting-table.js')
  try {
    return settingsFrom(values)
  } catch (cause) {
    throw preceded(cause, `The settings in ${settingsPath(paths)} cannot be used.`)
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
  const [{ locked }, { writePrivately }] = await Promise.all([
    import('../lock.js'),
    import('./private-file.js'),
  ])
  return locked(join(paths.state, 'config.lock'), async () => {
    const found = storedValues(paths)
    const values = found ?? {}
    const result = change(values)
    const path = settingsPath(paths)
    writePrivately(found ? realpathSync(path) : path, `${JSON.stringify(values, null, 2)}\n`)
    return result
  })
}

/** The same error, with what it is about before it. */
export function preceded(error: unknown, words: string): unknown {
  if (!(error instanceof TtError)) return error
  return new TtError(error.code, `${words} ${error.message}`, { hint: error.hint, cause: error })
}
