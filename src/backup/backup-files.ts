import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { aliasesPath } from '../config/aliases.js'
import { clientStatePath, invoiceNumbersPath, type Paths, workspacePath } from '../config/paths.js'
import { profilesPath } from '../config/profiles.js'
import { settingsPath } from '../config/settings/stored-values.js'
import { isBrokenLink } from '../lib/sqlite/broken-link.js'

/** The files that belong to a backup. Credentials, locks, older copies and the code cache do not. */
export interface BackupFiles {
  /** Absolute path by name in the backup, of those that exist. */
  paths: ReadonlyMap<string, string>
  /** The keys of the client states. */
  stateKeys: readonly string[]
}

export const settingsName = 'config.json'
export const aliasesName = 'aliases.json'
export const profilesName = 'profiles.json'
export const workspaceName = 'workspace.db'
export const invoiceNumbersName = 'invoice-numbers.json'

/** Returns the name of a client state in a backup. */
export const stateName = (key: string) => `profiles/${key}/state.db`

/** Returns the files of this user. States without a profile belong to it too: they may have pending changes. */
export function findFiles(paths: Paths): BackupFiles {
  return listFiles({
    [settingsName]: settingsPath(paths),
    [aliasesName]: aliasesPath(paths),
    [profilesName]: profilesPath(paths),
    [workspaceName]: workspacePath(paths),
    [invoiceNumbersName]: invoiceNumbersPath(paths),
    stateOf: (key) => clientStatePath(paths, key),
    statesIn: join(paths.state, 'profiles'),
  })
}

/** Returns the files of a backup that was extracted to `directory`. */
export function findExtractedFiles(directory: string): BackupFiles {
  return listFiles({
    [settingsName]: join(directory, settingsName),
    [aliasesName]: join(directory, aliasesName),
    [profilesName]: join(directory, profilesName),
    [workspaceName]: join(directory, workspaceName),
    [invoiceNumbersName]: join(directory, invoiceNumbersName),
    stateOf: (key) => join(directory, stateName(key)),
    statesIn: join(directory, 'profiles'),
  })
}

interface Places
  extends Record<
    | typeof settingsName
    | typeof aliasesName
    | typeof profilesName
    | typeof workspaceName
    | typeof invoiceNumbersName,
    string
  > {
  stateOf(key: string): string
  statesIn: string
}

function listFiles({ stateOf, statesIn, ...files }: Places): BackupFiles {
  const keys = existsSync(statesIn) ? readdirSync(statesIn) : []
  // Opening a broken link reports it.
  const isPresent = (path: string) => existsSync(path) || isBrokenLink(path)
  const stateKeys = keys.filter((key) => keyPattern.test(key) && isPresent(stateOf(key))).sort()
  const states = stateKeys.map((key) => [stateName(key), stateOf(key)] as const)
  const present = Object.entries(files).filter(([, path]) => isPresent(path))
  return { paths: new Map([...present, ...states]), stateKeys }
}

/** The keys of the program (`newStateKey`). Other directories, such as copies of a user, are not part of a backup. */
const keyPattern = /^[A-Za-z0-9][\w.-]{0,79}$/

/** Whether a file of a backup is a database. */
export const isDatabase = (name: string) => name.endsWith('.db')
