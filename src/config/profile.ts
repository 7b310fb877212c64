import { TtError } from '../errors.js'
import type { Environment } from './paths.js'

/** Whose time is kept where: the local workspace, or an account at a service. */
export type Profile =
  | { kind: 'local'; name: 'local'; stateKey: 'local' }
  | { kind: 'service'; name: string; stateKey: string; baseUrl: string; token: string }

const local: Profile = { kind: 'local', name: 'local', stateKey: 'local' }

/**
 * The profile in force: `--profile`, then `TT_BASE_URL` with `TT_TOKEN`, then `TT_PROFILE`, then the local workspace.
 *
 * Throws TtError `usage` when only one of `TT_BASE_URL` and `TT_TOKEN` is set, `not_found` when no profile has the name.
 */
export function profileInForce(env: Environment, requested?: string): Profile {
  if (requested === undefined) {
    const account = accountOfEnvironment(env)
    if (account) return account
  }
  const name = requested ?? (env.TT_PROFILE || 'local')
  if (name === 'local') return local
  throw new TtError('not_found', `There is no profile "${name}".`, {
    hint: 'The local workspace is the profile "local". TT_BASE_URL and TT_TOKEN use a service without a profile.',
  })
}

function accountOfEnvironment(env: Environment): Profile | undefined {
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
    .update(`${baseUrl.replace(/\/+$/, '')}\n${token}`)
    .digest('hex')
  return `environment-${digest.slice(0, 24)}`
}
