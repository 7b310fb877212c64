import { TtError } from '../lib/errors.js'
import { trimEnd } from '../lib/text/trim-end.js'
import type { DirectoryFile } from './directory-file.js'
import { type Environment, pathsFor } from './paths.js'
import { profileNamed, readProfiles, type StoredProfile, unknownProfileError } from './profiles.js'

/** An account that the user has signed in to. */
export interface StoredAccount {
  kind: 'stored'
  name: string
  stateKey: string
  baseUrl: string
  settings: StoredProfile
}

/** The local workspace, an account given by environment variables, or a stored account. */
export type Profile =
  | { kind: 'local'; name: 'local'; stateKey: 'local' }
  | { kind: 'service'; name: string; stateKey: string; baseUrl: string; token: string }
  | StoredAccount

const local: Profile = { kind: 'local', name: 'local', stateKey: 'local' }

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
  const { current = 'local' } = readProfiles(pathsFor(env))
  return findProfile(env, current, ', which was the current one')
}

/** @param where the source of the name, for the error message */
function findProfile(env: Environment, name: string, where?: string): Profile {
  if (name === 'local') return local
  const all = readProfiles(pathsFor(env))
  const settings = profileNamed(all, name)
  if (!settings) throw unknownProfileError(name, all, where)
  return { kind: 'stored', name, stateKey: settings.state, baseUrl: settings.base_url, settings }
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
  return { kind: 'service', name: 'environment', stateKey: accountKey(baseUrl, token), baseUrl, token }
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
