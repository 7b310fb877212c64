import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TtError } from '../errors.js'

/** What a directory file gives to the tree it stands in. */
export interface DirectorySettings {
  /** Where it was found. */
  path: string
  /** One of the user's own profiles. */
  profile?: string
  /** The task of `tt start` where none is given. */
  task?: string
  /** The notes of `tt start` and `tt add` where none are given. */
  notes?: string
  /** Keys that it has and must not have, or that nobody knows. Nothing of them is used. */
  ignored: string[]
}

const known = ['profile', 'task', 'notes'] as const

/**
 * The directory file `.tt.json` that is nearest to `directory`, upwards; undefined where there is none.
 *
 * It is written by whoever wrote the tree, so it may choose among what the user has, and no more: an address, a
 * credential or a command in it is not even read.
 *
 * Throws TtError `usage`, naming the file, for one that is not a JSON object or has other than text under a known key.
 */
export function directorySettings(directory: string): DirectorySettings | undefined {
  for (let here = directory; ; here = dirname(here)) {
    const path = join(here, '.tt.json')
    const text = isThere(path) ? textOf(path) : undefined
    if (text !== undefined) return parse(path, text)
    if (dirname(here) === here) return undefined
  }
}

/** Looked for before it is read: an error for each directory above would take much longer. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // A directory that cannot be looked into gives nothing to the tree below it.
  }
}

/** A pipe in the place of the file must not keep tt waiting. */
const reading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

function textOf(path: string): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, reading)
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new TtError('usage', `The directory file ${path} cannot be read (${code}).`, { cause })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function parse(path: string, text: string): DirectorySettings {
  const settings: DirectorySettings = { path, ignored: [] }
  for (const [key, value] of Object.entries(objectIn(path, text))) {
    const name = known.find((word) => word === key)
    if (!name) settings.ignored.push(key)
    else if (typeof value === 'string' && value !== '') settings[name] = value
    else throw wrong(path, `has a "${key}" that is no text`)
  }
  return settings
}

function objectIn(path: string, text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw wrong(path, 'is not JSON', cause)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(path, 'is not a JSON object')
  return value
}

function wrong(path: string, flaw: string, cause?: unknown): TtError {
  return new TtError('usage', `The directory file ${path} ${flaw}.`, {
    hint: 'It may hold "profile", "task" and "notes", such as {"profile": "acme", "task": "Website/Design"}.',
    ...(cause === undefined ? {} : { cause }),
  })
}
