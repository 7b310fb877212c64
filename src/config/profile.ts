import { TtError } from '../lib/errors.js'
import { trimEnd } from '../lib/trim-end.js'
import type { DirectoryFile } from './directory-file.js'
import { type Environment, pathsFor } from './paths.js'
import { profileNamed, readProfiles, type StoredProfile, unknownProfileError } from './profiles.js'

/** An account that somebody has signed in to with `tt login`. */
export interface StoredAccount {
  kind: 'stored'
  name: string
  stateKey: string
  baseUrl: string
  settings: StoredProfile
}

/** Whose time is kept where: the local workspace, an account of the environment, or one that is kept. */
export type Profile =
  | { kind: 'local'; name: 'local'; stateKey: 'local' }
  | { kind: 'service'; name: string; stateKey: string; baseUrl: string; token: string }
  | StoredAccount

const local: Profile = { kind: 'local', name: 'local', stateKey: 'local' }

/**
 * The profile in force: `--profile`, then `TT_BASE_URL` with `TT_TOKEN`, then `TT_PROFILE`, then that of the directory
 * file, then the current one of `profiles.json`, then the local workspace. No file is read before it is needed.
 *
 * Throws TtError `usage` when only one of `TT_BASE_URL` and `TT_TOKEN` is set, `not_found` when no profile has the name.
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

/** `where` says, for the error, who named it. */
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

/** Names an account without telling its token, so that what is kept for one is never delivered under another. */
function accountKey(baseUrl: string, token: string): string {
  // Loaded here: only accounts of the environment need it, and it takes a while.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const digest = createHash('sha256')
    .update(`${trimEnd(baseUrl, '/')}\n${token}`)
    .digest('hex')
  return `environment-${digest.slice(0, 24)}`
}
