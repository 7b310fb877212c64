import { TtError } from '../../../lib/errors.js'
import { isObject } from '../../../lib/is-object.js'

/** The credentials of one profile: one item in the keychain, or one file. */
export type Credentials = BoundAddresses & (OAuthCredentials | { method: 'key'; key: string })

/**
 * The addresses for which credentials were issued. Credentials are never sent to other addresses, whatever the profile
 * contains: neither an interrupted sign-in nor an edited profile can disclose them.
 */
interface BoundAddresses {
  base_url?: string
  auth_url?: string
}

interface OAuthCredentials {
  method: 'oauth'
  /** Empty when the service has rejected its refresh: a new sign-in is required. */
  access_token: string
  refresh_token: string | null
  /** RFC 3339; null if unknown. */
  expires_at: string | null
  /** The granted scopes, separated by spaces; null if unknown. */
  scope: string | null
  client_secret: string | null
}

/** The storage of one profile's credentials. Every function throws TtError when the storage cannot be used. */
export interface CredentialStore {
  /** Describes the storage in messages: "the keychain of this system", or a path. */
  readonly location: string
  /** Returns undefined when nothing is stored. */
  read(): Promise<Credentials | undefined>
  /** Replaces the stored credentials atomically. */
  write(credentials: Credentials): Promise<void>
  remove(): Promise<void>
  /** Verifies that the store works: writes, reads and removes a test value. */
  verify(): Promise<void>
}

/** Parses stored credentials. Throws TtError `failure` for invalid text, without showing any of it. */
export function parseCredentials(text: string, location: string): Credentials {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The message of the parser would show part of a secret.
  }
  if (isCredentials(value)) return value
  throw new TtError('failure', `The credentials of this profile in ${location} are damaged.`, {
    hint: 'A new sign-in replaces them.',
    nextStep: { action: 'sign_in' },
  })
}

function isCredentials(value: unknown): value is Credentials {
  if (!isObject(value)) return false
  const addresses = [value.base_url, value.auth_url]
  if (!addresses.every((address) => address === undefined || typeof address === 'string')) return false
  if (value.method === 'key') return typeof value.key === 'string'
  const nullableFields = ['refresh_token', 'expires_at', 'scope', 'client_secret']
  return (
    value.method === 'oauth' &&
    typeof value.access_token === 'string' &&
    nullableFields.every((field) => value[field] === null || typeof value[field] === 'string')
  )
}
