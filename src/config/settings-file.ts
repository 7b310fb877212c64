import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { TtError } from '../errors.js'
import type { Paths } from './paths.js'
import { defaultSettings, type Settings } from './settings.js'

/** Where the settings are kept: a JSON object of names, each with its value as text. */
export function settingsPath(paths: Paths): string {
  return join(paths.config, 'config.json')
}

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

/** What is in the file, unchecked; undefined where there is none. Throws TtError `usage` for what is no JSON object. */
export function storedValues(paths: Paths): Record<string, unknown> | undefined {
  const path = settingsPath(paths)
  let text: string
  try {
    // Looked for before it is read: the error of a missing file would take much longer.
    if (!statSync(path, { throwIfNoEntry: false })) return undefined
    text = readFileSync(path, 'utf8').replace(/^\ufeff/, '')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR') return undefined
    throw unusable(path, 'cannot be read', cause)
  }
  return objectIn(path, text)
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

function objectIn(path: string, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw unusable(path, 'is not JSON', cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unusable(path, 'is not a JSON object')
  return value as Record<string, unknown>
}

function unusable(path: string, flaw: string, cause?: unknown): TtError {
  return new TtError('usage', `The file of settings, ${path}, ${flaw}.`, {
    hint: 'Mend it, or move it away: it holds names and values, such as {"week_start": "sunday"}.',
    ...(cause === undefined ? {} : { cause }),
  })
}
