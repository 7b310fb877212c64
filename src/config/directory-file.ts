import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigFileError, parseJson, readConfigFile } from './config-file.js'

/** The values that a directory file supplies to the tree below it. */
export interface DirectoryFile {
  /** The path of the file. */
  path: string
  /** One of the user's own profiles. */
  profile?: string
  /** The default task of a new timer. */
  task?: string
  /** The default notes of new entries. */
  notes?: string
  /** Other keys in the file. None of them is used. */
  ignored: string[]
  /** The reason why the file is ignored, as a predicate: "is not a regular file". */
  problem?: string
}

const keys = ['profile', 'task', 'notes'] as const

/**
 * Reads the directory file `.tt.json` that is nearest to `directory`, upwards; undefined if there is none.
 *
 * It is untrusted data: it chooses among the user's own profiles, and never sets an address, a credential or a command.
 * If another user could have written the file, it is not a regular file of at most 64 KiB or its JSON is invalid, the
 * result has only a `problem`; the search ends there.
 */
export function readDirectoryFile(directory: string): DirectoryFile | undefined {
  for (let here = directory; ; here = dirname(here)) {
    const path = join(here, '.tt.json')
    const settings = exists(path) ? read(path) : undefined
    if (settings) return settings
    if (dirname(here) === here) return undefined
  }
}

/** Whether the file exists. An error for each missing file would take much longer. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // A looping symlink is a file that cannot be read. A directory that cannot be searched has no file for this user.
    return error instanceof Error && 'code' in error && error.code === 'ELOOP'
  }
}

function read(path: string): DirectoryFile | undefined {
  try {
    const file = readConfigFile(path)
    if (!file) return undefined
    const problem = ownershipProblem(path, file.uid)
    return problem === undefined ? parse(path, file.text) : { path, ignored: [], problem }
  } catch (error) {
    if (error instanceof ConfigFileError) return { path, ignored: [], problem: error.message }
    // A parent directory may have been removed or protected since.
    if (!(error instanceof Error && 'code' in error)) throw error
    return { path, ignored: [], problem: `cannot be checked (${error.code})` }
  }
}

/** Returns why another user may have written the file, as a predicate; undefined if only this user and root can. */
function ownershipProblem(path: string, uid: number): string | undefined {
  const ownUid = process.geteuid?.()
  if (ownUid === undefined) return undefined // Windows has neither owners nor modes of this kind.
  const link = lstatSync(path)
  if (![uid, link.uid].every((owner) => owner === ownUid || owner === 0)) return 'belongs to another user'
  const places = new Set([path, link.isSymbolicLink() ? realpathSync(path) : path])
  const unsafe = [...places].flatMap((place) => [...directoriesAbove(place)]).find(isOpenToAll)
  return unsafe === undefined ? undefined : `is below ${unsafe}, which is world-writable`
}

function* directoriesAbove(path: string): Generator<string> {
  for (let here = dirname(path); ; here = dirname(here)) {
    yield here
    if (dirname(here) === here) return
  }
}

/** Whether every user can rename files in the directory: world-writable without the sticky bit (stat(2)). */
function isOpenToAll(directory: string): boolean {
  return (statSync(directory).mode & 0o1002) === 0o002
}

function parse(path: string, text: string): DirectoryFile {
  const settings: DirectoryFile = { path, ignored: [] }
  for (const [key, value] of Object.entries(parseObject(text))) {
    const name = keys.find((word) => word === key)
    if (!name) settings.ignored.push(key)
    else if (typeof value === 'string' && value !== '') settings[name] = value
    else throw new ConfigFileError(`has a "${key}" that is not a text`)
  }
  return settings
}

function parseObject(text: string): object {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ConfigFileError('is not a JSON object')
  return value
}
