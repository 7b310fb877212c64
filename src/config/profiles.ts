import { join } from 'node:path'
import { TtError } from '../lib/errors.js'
import { isObject } from '../lib/is-object.js'
import { nearestNames, nearestNamesText } from '../lib/text/nearest-names.js'
import { ConfigFileError, configLimitBytes, readJsonFile } from './config-file.js'
import { type Paths, profilesLockPath } from './paths.js'

/** Where the secrets of a profile can be. */
const credentialStorages = ['keychain', 'file'] as const
export type CredentialStorage = (typeof credentialStorages)[number]

/** An account at a service, as stored in `profiles.json`. Contains no secrets. */
export interface StoredProfile {
  /** The API root, ending in /api/v1 (service-api-v1.md section 1). */
  base_url: string
  /** The base URL of the OAuth endpoints and of the legacy key endpoint. */
  auth_url: string
  client_id?: string
  method: 'oauth' | 'key'
  /** The scopes requested at the sign-in, separated by spaces. */
  scope?: string
  storage: CredentialStorage
  /** `http:` to another machine was allowed at the sign-in. */
  insecure_http?: true
  /** The company and the user of the sign-in, if the service names a user with an email address or an ID. */
  account?: StoredIdentity
  /** The key of its client state (`clientStatePath`). */
  state: string
}

/** What identifies an account at a service. */
export interface StoredIdentity {
  company_id: string | number
  user: string
}

/** The content of `profiles.json`. */
export interface Profiles {
  /** The current profile; undefined for the local workspace. */
  current?: string
  profiles: Record<string, StoredProfile>
}

/**
 * Returns the profiles of this user; none if there is no file. Throws TtError `failure` for a file that cannot be
 * read (see `readConfigFile`) or has invalid content.
 */
export function readProfiles(paths: Paths): Profiles {
  const path = profilesPath(paths)
  try {
    const value = readJsonFile(path)
    return value === undefined ? { profiles: {} } : checkProfiles(value)
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    throw new TtError('failure', `The profiles file ${path} ${error.message}.`, {
      hint: 'Correct the file, or move it to another place. The local workspace does not need it.',
      nextStep: { action: 'sign_in' },
      cause: error,
    })
  }
}

/** Returns the path of the file with the profiles. */
export function profilesPath(paths: Paths): string {
  return join(paths.config, 'profiles.json')
}

/** Returns the profile of that name; undefined for an unknown name. */
export function profileNamed({ profiles }: Profiles, name: string): StoredProfile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}

/**
 * Returns the name if a profile can have it. Throws TtError `usage` for an invalid name and for the reserved names
 * `local` and `environment`.
 */
export function checkProfileName(name: string): string {
  if (name.length > 64 || !namePattern.test(name)) {
    throw new TtError('usage', `"${name}" cannot be the name of a profile.`, {
      hint: 'Use letters, digits, dots, hyphens and underscores, and begin with a letter or a digit.',
    })
  }
  if (['local', 'environment'].includes(name.toLowerCase())) {
    throw new TtError('usage', `The name "${name}" is reserved.`, {
      hint: 'Choose another name for the profile.',
    })
  }
  return name
}

/**
 * Stores a profile, makes it the current one and returns it. Its client state stays if the address is unchanged;
 * otherwise it gets a new one, so that no change is delivered to another service.
 *
 * Throws TtError `usage` for an invalid name, `failure` when the file cannot be written.
 */
export async function saveProfile(
  paths: Paths,
  name: string,
  settings: Omit<StoredProfile, 'state'>,
): Promise<StoredProfile> {
  checkProfileName(name)
  return changeProfiles(paths, (all) => {
    checkCaseConflict(all, name)
    const previous = profileNamed(all, name)
    const isSameService = previous !== undefined && previous.base_url === settings.base_url
    const profile = { ...settings, state: isSameService ? previous.state : newStateKey(name) }
    all.profiles[name] = profile
    all.current = name
    return profile
  })
}

/** Makes a profile the current one, or the local workspace if it is undefined. Throws TtError `not_found`. */
export async function useProfile(paths: Paths, name: string | undefined): Promise<void> {
  await changeProfiles(paths, (all) => {
    if (name === undefined) delete all.current
    else if (profileNamed(all, name)) all.current = name
    else throw unknownProfileError(name, all)
  })
}

/** Removes a profile but not its client state. If it was the current one, the local workspace becomes current. */
export async function removeProfile(paths: Paths, name: string): Promise<void> {
  await changeProfiles(paths, (all) => {
    delete all.profiles[name]
    if (all.current === name) delete all.current
  })
}

/** Returns the error for an unknown profile; `where` names the source of the name. */
export function unknownProfileError(name: string, { profiles }: Profiles, where = ''): TtError {
  const names = ['local', ...Object.keys(profiles)]
  return new TtError('not_found', `There is no profile "${name}"${where}.${nearestNamesText(name, names)}`, {
    hint: `Profiles: ${names.join(', ')}.`,
    nextStep: { action: 'sign_in', profile: 'NAME' },
    candidates: nearestNames(name, names),
  })
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

/** File names and the keychain of Windows are case-insensitive. */
function checkCaseConflict({ profiles }: Profiles, name: string) {
  const similarName = Object.keys(profiles).find(
    (other) => other !== name && other.toLowerCase() === name.toLowerCase(),
  )
  if (similarName === undefined) return
  throw new TtError(
    'usage',
    `The profile "${similarName}" already exists and differs only in upper and lower case.`,
    { hint: `Use "${similarName}", or another name.` },
  )
}

function newStateKey(name: string): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  return `${name}-${randomBytes(4).toString('hex')}`
}

/** Reads, changes and writes the file under a lock, so that concurrent sign-ins store both profiles. */
async function changeProfiles<Result>(paths: Paths, change: (all: Profiles) => Result): Promise<Result> {
  const [{ withLock }, { writePrivateFile }] = await Promise.all([
    import('../lib/lock.js'),
    import('../lib/private-file.js'),
  ])
  return withLock(profilesLockPath(paths), async () => {
    const all = readProfiles(paths)
    const result = change(all)
    const text = `${JSON.stringify(all, null, 2)}\n`
    if (Buffer.byteLength(text) > configLimitBytes) {
      throw new TtError('usage', `${profilesPath(paths)} would become larger than 64 KiB.`, {
        hint: 'Remove profiles that are no longer used.',
      })
    }
    writePrivateFile(profilesPath(paths), text)
    return result
  })
}

/** Returns the content of a file with profiles. Throws ConfigFileError for invalid content. */
export function checkProfiles(value: unknown): Profiles {
  if (!isObject(value) || !isObject(value.profiles)) throw new ConfigFileError('has no profiles')
  const { current, profiles } = value
  if (current !== undefined && typeof current !== 'string')
    throw new ConfigFileError('has a "current" that is not a name')
  for (const [name, profile] of Object.entries(profiles)) {
    // The name and the key of the client state become parts of paths.
    if (!namePattern.test(name))
      throw new ConfigFileError(`has a profile "${name}", which is not a valid name`)
    if (!isStoredProfile(profile)) throw new ConfigFileError(`has a profile "${name}" that is incomplete`)
  }
  return value as unknown as Profiles
}

function isStoredProfile(value: unknown): value is StoredProfile {
  return (
    isObject(value) &&
    typeof value.base_url === 'string' &&
    typeof value.auth_url === 'string' &&
    ['string', 'undefined'].includes(typeof value.client_id) &&
    ['string', 'undefined'].includes(typeof value.scope) &&
    (value.method === 'oauth' || value.method === 'key') &&
    credentialStorages.some((storage) => storage === value.storage) &&
    (value.insecure_http === undefined || value.insecure_http === true) &&
    typeof value.state === 'string' &&
    namePattern.test(value.state)
  )
}
