import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { TtError } from '../errors.js'
import type { Paths } from './paths.js'

/** Where the settings are kept: a JSON object of names, each with its value as text. */
export function settingsPath(paths: Paths): string {
  return join(paths.config, 'config.json')
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
 * The same for short commands, which neither load the table of settings nor fail for what is wrong in the file: there
 * is nothing then.
 */
export function plainValues(paths: Paths): Readonly<Record<string, unknown>> {
  try {
    return storedValues(paths) ?? {}
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return {}
  }
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
