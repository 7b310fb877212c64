import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigFileError, readConfigFile } from '../../../config/config-file.js'
import type { Paths } from '../../../config/paths.js'
import type { CredentialStorage } from '../../../config/profiles.js'
import { TtError, type TtErrorDetails } from '../../../lib/errors.js'
import { isObject } from '../../../lib/is-object.js'
import { makeDirectoryPrivate, syncDirectory, writePrivateFile } from '../../../lib/private-file.js'

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

/** Returns the bearer token of credentials; empty when a new sign-in is required. */
export function tokenOf(credentials: Credentials): string {
  return credentials.method === 'key' ? credentials.key : credentials.access_token
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

/** Opens the credential store of a profile in a file that only its owner can read. */
export function openFileCredentials(profile: string, paths: Paths): CredentialStore {
  const path = join(paths.state, 'credentials', `${profile}.json`)
  const write = (file: string, text: string) => {
    restrictToOwner(dirname(file))
    writePrivateFile(file, text)
  }
  return {
    location: path,
    async read() {
      const text = readOwnFile(path)
      return text === undefined ? undefined : parseCredentials(text, path)
    },
    async write(credentials) {
      write(path, `${JSON.stringify(credentials, null, 2)}\n`)
    },
    async remove() {
      removeFile(path)
    },
    async verify() {
      // No profile name begins with a dot.
      const probe = join(dirname(path), `.probe-${process.pid}`)
      write(probe, 'probe')
      const text = readOwnFile(probe)
      removeFile(probe)
      if (text === 'probe') return
      throw new TtError(
        'failure',
        `A test file in ${dirname(path)} does not contain the text that was written to it.`,
      )
    },
  }
}

function restrictToOwner(directory: string) {
  try {
    makeDirectoryPrivate(directory)
  } catch (cause) {
    throw new TtError('failure', `Cannot restrict the directory ${directory} to its owner.`, {
      hint: 'Check who owns it. Nothing was stored.',
      cause,
    })
  }
}

/**
 * Returns the text of a regular file that only this user can read; undefined if it does not exist. Throws TtError
 * `failure` for any other file.
 */
function readOwnFile(path: string): string | undefined {
  try {
    return readConfigFile(path, { noFollow: true, check: (file) => checkOwner(path, file) })?.text
  } catch (cause) {
    if (!(cause instanceof ConfigFileError)) throw cause
    if (cause.code === 'ELOOP') {
      const hint = 'Remove the link: credentials must be a regular file.'
      throw untrustedFileError(path, 'is a link', { hint })
    }
    if (cause.code === undefined) throw untrustedFileError(path, cause.message, moveAwayAdvice)
    throw new TtError('failure', `${path} ${cause.message}.`, { hint: 'Check its permissions.', cause })
  }
}

const moveAwayAdvice: TtErrorDetails = {
  hint: 'Move the file to another place.',
  nextStep: { action: 'sign_in' },
}

function checkOwner(path: string, { mode, uid }: { mode: number; uid: number }) {
  const ownUid = process.getuid?.()
  if (ownUid === undefined) return // Windows: access depends on the directory, which belongs to the user.
  if (uid !== ownUid && uid !== 0) throw untrustedFileError(path, 'belongs to another user', moveAwayAdvice)
  if (mode & 0o077) {
    throw untrustedFileError(path, 'is accessible to other users', {
      hint: `Restrict it with chmod 600 "${path}".`,
      nextStep: { action: 'replace_credentials' },
    })
  }
}

function untrustedFileError(path: string, problem: string, details: TtErrorDetails): TtError {
  return new TtError('failure', `The credentials in ${path} are not used: the file ${problem}.`, details)
}

function removeFile(path: string) {
  try {
    rmSync(path, { force: true })
    syncDirectory(dirname(path))
  } catch (cause) {
    throw new TtError('failure', `Cannot remove ${path}.`, { hint: 'Remove the file yourself.', cause })
  }
}

/**
 * Opens the credential store of a profile: the keychain of the system, or a file that only its owner can read. The user
 * chooses between them; there is no fallback.
 *
 * @param isAttended whether a user can unlock the keychain, which then has more time to respond
 */
export async function openCredentialStore(
  storage: CredentialStorage,
  profile: string,
  paths: Paths,
  { isAttended = false }: { isAttended?: boolean } = {},
): Promise<CredentialStore> {
  if (storage === 'file') return openFileCredentials(profile, paths)
  const { openKeychain } = await import('./keychain.js')
  return openKeychain(profile, { isAttended })
}
