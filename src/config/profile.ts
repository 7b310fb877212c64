import { TtError } from '../lib/errors.js'
import { trimEnd } from '../lib/text/words.js'
import type { DirectoryFile } from './directory-file.js'
import { clientStatePath, type Environment, type Paths, pathsFor, workspacePath } from './paths.js'
import { type Profiles, readProfiles, type StoredProfile, unknownProfileError } from './profiles.js'

/** An account that the user has signed in to. */
export interface StoredAccount {
  name: string
  stateKey: string
  baseUrl: string
  settings: StoredProfile
}

/**
 * The local workspace, an account of environment variables, or a stored account. Only this file knows which one it is: all
 * others ask for a capability.
 */
export interface Profile {
  name: string
  stateKey: string
  /** The credentials of its requests; `local` without any. For output only. */
  method: 'local' | 'token' | StoredProfile['method']
  /** Whether its name selects it, not TT_BASE_URL and TT_TOKEN. */
  isNamed: boolean
  /** Whether the user can create and change clients, projects, tasks and expense types. */
  canWriteCatalog: boolean
  /**
   * Whether its data is at a service, which may be unreachable: it is cached, and changes stay in the outbox until they are
   * delivered. Otherwise each change is stored or rejected at once.
   */
  hasDelivery: boolean
  /** The address of its service. */
  baseUrl?: string
  /** The token of TT_TOKEN. */
  token?: string
  /** The account that the user has signed in to. */
  signIn?: StoredAccount
}

/** The name and the key of the client state of the local workspace. */
export const localName = 'local'

const localWorkspace: Profile = {
  ...{ name: localName, stateKey: localName, method: 'local', isNamed: true },
  ...{ canWriteCatalog: true, hasDelivery: false },
}

/** Returns the host of the service of a profile; the name of a profile without a service. */
export function hostOf({ name, baseUrl }: Profile): string {
  return baseUrl === undefined ? name : new URL(baseUrl).host
}

/** Whether changes in the client state with that key are delivered to a service; see `Profile`. */
function hasDelivery(stateKey: string): boolean {
  return stateKey !== localName
}

/** Returns the path of the database with the client state of that key. */
export function statePathOf(paths: Paths, stateKey: string): string {
  return hasDelivery(stateKey) ? clientStatePath(paths, stateKey) : workspacePath(paths)
}

/** Returns the path of the client state that the local workspace had before its tables moved into `workspace.db`. */
export function formerStatePath(paths: Paths): string {
  return clientStatePath(paths, localName)
}

/**
 * Returns the active profile: `requested`, then `TT_BASE_URL` with `TT_TOKEN`, then `TT_PROFILE`, then that of the
 * directory file, then the current one of `profiles.json`, then the local workspace. Reads only the files it needs.
 *
 * Throws TtError `usage` when only one of `TT_BASE_URL` and `TT_TOKEN` is set, `not_found` for an unknown profile.
 */
export function selectProfile(
  env: Environment,
  requested?: string,
  directory: () => DirectoryFile | undefined = () => undefined,
): Profile {
  if (requested !== undefined) return findProfile(env, requested)
  const account = environmentAccount(env)
  if (account) return account
  if (env.TT_PROFILE) return findProfile(env, env.TT_PROFILE, ', which TT_PROFILE names')
  const { profile, path } = directory() ?? {}
  if (profile !== undefined) return findProfile(env, profile, `, which ${path} names`)
  const { current = localName } = readProfiles(pathsFor(env))
  return findProfile(env, current, ', which was the current one')
}

/** Returns the profiles that a name selects: the local workspace, and the stored ones. */
export function namedProfiles(all: Profiles): Profile[] {
  return [localWorkspace, ...Object.entries(all.profiles).map((stored) => storedProfile(...stored))]
}

/** Returns the name of the profile with that key of the client state; undefined without one. */
export function nameOfState(stateKey: string, all: Profiles): string | undefined {
  return namedProfiles(all).find((profile) => profile.stateKey === stateKey)?.name
}

/** @param where the source of the name, for the error message */
function findProfile(env: Environment, name: string, where?: string): Profile {
  if (name === localName) return localWorkspace
  const all = readProfiles(pathsFor(env))
  const profile = namedProfiles(all).find((one) => one.name === name)
  if (!profile) throw unknownProfileError(name, all, where)
  return profile
}

function storedProfile(name: string, settings: StoredProfile): Profile {
  const account = { name, stateKey: settings.state, baseUrl: settings.base_url }
  return {
    ...{ ...account, method: settings.method, isNamed: true, signIn: { ...account, settings } },
    ...{ canWriteCatalog: false, hasDelivery: true },
  }
}

function environmentAccount(env: Environment): Profile | undefined {
  const { TT_BASE_URL: baseUrl, TT_TOKEN: token } = env
  if (!baseUrl && !token) return undefined
  if (!baseUrl || !token) {
    const [present, missing] = baseUrl ? ['TT_BASE_URL', 'TT_TOKEN'] : ['TT_TOKEN', 'TT_BASE_URL']
    throw new TtError('usage', `${present} is set but ${missing} is not.`, {
      hint: 'Set both to use that service with that token, or neither.',
    })
  }
  return {
    ...{ name: 'environment', stateKey: accountKey(baseUrl, token), method: 'token', isNamed: false },
    ...{ canWriteCatalog: false, hasDelivery: true, baseUrl, token },
  }
}

/** Returns a key for an account that does not reveal its token, so that each account has its own client state. */
function accountKey(baseUrl: string, token: string): string {
  // Loaded lazily: only accounts from the environment need it.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const digest = createHash('sha256')
    .update(`${trimEnd(baseUrl, '/')}\n${token}`)
    .digest('hex')
  return `environment-${digest.slice(0, 24)}`
}
