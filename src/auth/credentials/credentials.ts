import { TtError } from '../../lib/errors.js'

/** The secrets of one profile: one item in the keychain, or one file. */
export type Credentials = BoundAddresses & (OAuthSecrets | { method: 'key'; key: string })

/**
 * The addresses that the secrets were given for. They are sent to no other, whatever the profile says: a sign-in that
 * was killed halfway, or a profile that somebody has edited, must not give them to a stranger.
 */
export interface BoundAddresses {
  base_url?: string
  auth_url?: string
}

interface OAuthSecrets {
  method: 'oauth'
  /** Empty when the service has refused to renew it: then nothing but a new sign-in helps. */
  access_token: string
  refresh_token: string | null
  /** RFC 3339; null where the service has not said. */
  expires_at: string | null
  /** What was granted, separated by spaces; null where the service has not said. */
  scope: string | null
  client_secret: string | null
}

/** Where the secrets of one profile are. Every function throws TtError when the store cannot be used. */
export interface CredentialStore {
  /** Words for it, such as "the keychain of this system", or a path. */
  readonly location: string
  /** undefined when nothing is stored. */
  read(): Promise<Credentials | undefined>
  /** Replaces what is stored, wholly or not at all. */
  write(credentials: Credentials): Promise<void>
  remove(): Promise<void>
  /** Writes, reads and removes a value of no worth. */
  verify(): Promise<void>
}

/** Reads what a store holds. Throws TtError `failure` when that is no credentials; what it is is not told. */
export function parseCredentials(text: string, where: string): Credentials {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // What the parser says would show part of a secret.
  }
  if (isCredentials(value)) return value
  throw new TtError('failure', `What ${where} holds for this profile is damaged.`, {
    hint: 'Sign in again with `tt login`: that replaces it.',
  })
}

function isCredentials(value: unknown): value is Credentials {
  if (typeof value !== 'object' || value === null) return false
  const found = value as Record<string, unknown>
  const addresses = [found.base_url, found.auth_url]
  if (!addresses.every((address) => address === undefined || typeof address === 'string')) return false
  if (found.method === 'key') return typeof found.key === 'string'
  const optional = ['refresh_token', 'expires_at', 'scope', 'client_secret']
  return (
    found.method === 'oauth' &&
    typeof found.access_token === 'string' &&
    optional.every((field) => found[field] === null || typeof found[field] === 'string')
  )
}
