import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { TtError } from '../../../lib/errors.js'
import { type CredentialStore, parseCredentials } from './credentials.js'

const location = 'the keychain of this system'

/**
 * Maximum length of one secret. The Credential Manager of Windows limits a secret to 2560 bytes of UTF-16
 * (CRED_MAX_CREDENTIAL_BLOB_SIZE), 1280 characters; some are reserved for the driver. Other keychains have no limit, and
 * a profile is always one item.
 */
const maxCharacters = process.platform === 'win32' ? 1200 : Number.POSITIVE_INFINITY

/**
 * Opens the credential store of a profile in the keychain of the system, under the service `tt`.
 *
 * Every call has a time limit: 30 seconds when a user can unlock the keychain, without a retry, which would replace the
 * unlock dialog; otherwise 5 seconds and one retry. The functions throw TtError `failure` with different messages for a
 * keychain that is missing, locked or does not respond.
 */
export function openKeychain(
  profile: string,
  { isAttended = false }: { isAttended?: boolean } = {},
): CredentialStore {
  const withItems = <Result>(work: (items: KeychainItems) => Promise<Result>) =>
    isAttended ? withKeychain(30_000, work) : withRetry(5_000, work)
  return {
    location,
    async read() {
      const text = await withItems((items) => readSecret(items, profile))
      return text === null ? undefined : parseCredentials(text, location)
    },
    write: (credentials) => withItems((items) => writeSecret(items, profile, JSON.stringify(credentials))),
    remove: () => withItems((items) => removeSecret(items, profile)),
    verify: () => withItems((items) => verify(items)),
  }
}

async function verify(items: KeychainItems) {
  // No profile name begins with #.
  const probe = `#probe-${process.pid}`
  await items.set(probe, 'probe')
  const value = await items.get(probe)
  await items.remove(probe)
  if (value === 'probe') return
  throw new TtError('failure', 'The keychain of this system does not store values.', { nextStep })
}

const nextStep = { action: 'store_in_file' } as const

/**
 * Source of the helper process that calls the keychain. It reads one request per line from standard input and writes one
 * response per line. Its first line signals that it is ready: later delays are those of the keychain.
 *
 * The driver calls the Secret Service synchronously. A call without a response can neither be aborted inside a process nor
 * ended with it: the process would hang. A separate process can be killed.
 *
 * Without a Secret Service on Linux, the driver would silently use the kernel's keyring, which is empty after a restart.
 * The option `store` prevents that; the functions of the driver's `keytar` module do not have it.
 */
const program = `
let driver, loadError
try {
  driver = require(process.argv[1])
} catch (error) {
  loadError = error
}
const open = (account) => {
  try {
    if (!driver) throw loadError
    const { AsyncEntry } = driver
    return new AsyncEntry('tt', account, { linux: { store: 'secret-service' } })
  } catch (error) {
    throw Object.assign(error, { isMissing: true })
  }
}
const calls = {
  get: (account) => open(account).getPassword(),
  set: (account, secret) => open(account).setPassword(secret),
  remove: (account) => open(account).deletePassword(),
}
const respond = async (line) => {
  const [call, ...parameters] = JSON.parse(line)
  try {
    return { value: (await calls[call](...parameters)) ?? null }
  } catch (error) {
    return { error: error.message, isMissing: error.isMissing === true }
  }
}
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  process.stdout.write(JSON.stringify(await respond(line)) + '\\n')
})
process.stdout.write('{"value":true}\\n')
`

/** `isMissing`: there is no keychain, or no driver for it. */
type HelperResponse = { value: string | boolean | null } | { error: string; isMissing: boolean }

/** Time limit for the start of the helper process, in milliseconds; long because the machine may be under load. */
const startLimitMs = 60_000

/** The keychain did not respond within the time limit. */
class KeychainTimeoutError extends TtError {}

/**
 * Runs `withKeychain`, and again if the keychain did not respond: it may have been busy. All operations on items can be
 * repeated safely.
 */
async function withRetry<Result>(
  timeLimitMs: number,
  work: (items: KeychainItems) => Promise<Result>,
): Promise<Result> {
  try {
    return await withKeychain(timeLimitMs, work)
  } catch (error) {
    if (!(error instanceof KeychainTimeoutError)) throw error
    return withKeychain(timeLimitMs, work)
  }
}

/** Runs `work` with a helper process; each call of the keychain may take `timeLimitMs`. */
async function withKeychain<Result>(
  timeLimitMs: number,
  work: (items: KeychainItems) => Promise<Result>,
): Promise<Result> {
  const driver = createRequire(import.meta.url).resolve('keytar')
  const child = spawn(process.execPath, ['-e', program, driver], {
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  try {
    const call = await startCalls(child, timeLimitMs)
    return await work({
      maxCharacters,
      get: async (account) => (await call('get', account)) as string | null,
      set: async (account, secret) => void (await call('set', account, secret)),
      remove: async (account) => (await call('remove', account)) === true,
    })
  } finally {
    child.kill('SIGKILL')
  }
}

/** Resolves when the helper process is ready, with a function that calls the keychain. */
async function startCalls(child: ChildProcess, timeLimitMs: number) {
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new TtError('failure', 'Cannot start the process that calls the keychain.')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const failure = new Promise<never>((_, reject) => {
    const fail = (error: Error) => reject(missingError(error.message))
    child.on('error', fail)
    stdin.on('error', fail)
  })
  failure.catch(() => {}) // The caller that waits for a response receives the error.
  const readResponse = async () => {
    const line = await Promise.race([lines.next(), failure])
    if (line.done) throw missingError('its process ended without a response')
    return JSON.parse(line.value) as HelperResponse
  }
  /** Sends a request until there is a reply: the driver waits only 2 s, and a busy Secret Service may need longer. */
  const sendUntilReply = async (request: string): Promise<HelperResponse> => {
    for (;;) {
      stdin.write(request)
      const response = await readResponse()
      if (!('error' in response && noReply.test(response.error))) return response
      await sleep(100)
    }
  }
  await withDeadline(startLimitMs, readResponse(), notStartedError)
  return async (...request: string[]) => {
    const line = `${JSON.stringify(request)}\n`
    const response = await withDeadline(timeLimitMs, sendUntilReply(line), () => timeoutError(timeLimitMs))
    if ('value' in response) return response.value
    throw response.isMissing ? missingError(response.error) : lockedError(response.error)
  }
}

/** The message of the D-Bus error org.freedesktop.DBus.Error.NoReply. */
const noReply = /Did not receive a reply/

/** Resolves like the work. Throws the error that `createError` returns when the time limit has passed. */
async function withDeadline<Result>(
  limitMs: number,
  work: Promise<Result>,
  createError: () => TtError,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), limitMs)
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    clearTimeout(timer)
  }
}

function missingError(reason: string): TtError {
  const hint =
    process.platform === 'linux'
      ? 'Start a Secret Service such as gnome-keyring or KWallet in this session.'
      : undefined
  return new TtError('failure', `There is no keychain that tt can use (${reason}).`, { hint, nextStep })
}

function lockedError(reason: string): TtError {
  return new TtError('failure', `The keychain is locked or denies access (${reason}).`, {
    hint: 'Unlock it and repeat the command.',
    nextStep,
  })
}

function timeoutError(timeLimitMs: number): KeychainTimeoutError {
  return new KeychainTimeoutError('failure', `The keychain has not responded for ${timeLimitMs / 1000} s.`, {
    hint: 'Unlock it, or confirm its prompt, and repeat the command.',
    nextStep,
  })
}

function notStartedError(): TtError {
  const message = `The process that calls the keychain has not started for ${startLimitMs / 1000} s.`
  return new TtError('failure', message, { hint: 'Repeat the command when the machine is less busy.' })
}

/** The functions of a keychain that are used here: named secrets under one service. */
export interface KeychainItems {
  /** Maximum length of the secret of one item. */
  readonly maxCharacters: number
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  /** Returns whether the item existed. */
  remove(account: string): Promise<boolean>
}

/** Content of the profile's item when its secret is split into several other items. */
interface Header {
  /** The first key, which distinguishes a header from a secret. */
  generation: 'a' | 'b'
  parts: number
  /** SHA-256 of the whole secret. */
  sha256: string
}

const headerPrefix = '{"generation":'

/** Reads the secret of a profile, which is JSON; null when nothing is stored. Throws TtError `failure` when parts are missing. */
export async function readSecret(items: KeychainItems, profile: string): Promise<string | null> {
  // Another process may replace the parts after their header was read; a new attempt reads the new header.
  for (let attempt = 1; attempt <= 3; attempt++) {
    const stored = await items.get(profile)
    if (!stored?.startsWith(headerPrefix)) return stored
    const header = parseHeader(stored)
    if (!header) break
    const secret = await joinParts(items, profile, header)
    if (digest(secret) === header.sha256) return secret
  }
  throw new TtError('failure', 'The credentials of this profile in the keychain are incomplete.', {
    hint: 'A new sign-in replaces them.',
    nextStep: { action: 'sign_in' },
  })
}

/**
 * Replaces the secret of a profile: in one item if it fits, otherwise in parts with a header in that item. The secret is
 * JSON, so characters outside ASCII are escaped, and keychains with other encodings can store it.
 *
 * New parts never overwrite the current ones: there are two generations of parts, `PROFILE#a1` and `PROFILE#b1` onwards,
 * and the header, written last, names the valid one. After an interruption at any moment, either the old or the new
 * secret is complete; the next write removes obsolete parts.
 */
export async function writeSecret(items: KeychainItems, profile: string, secret: string): Promise<void> {
  const ascii = secret.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  if (ascii.length <= items.maxCharacters && !ascii.startsWith(headerPrefix)) {
    await items.set(profile, ascii)
    await removeParts(items, profile, 'a', 1)
    await removeParts(items, profile, 'b', 1)
    return
  }
  const previous = parseHeader(await items.get(profile))
  const generation = previous?.generation === 'a' ? 'b' : 'a'
  const parts = ascii.match(new RegExp(`[^]{1,${Math.min(items.maxCharacters, ascii.length)}}`, 'g')) ?? []
  for (const [index, part] of parts.entries()) await items.set(partName(profile, generation, index + 1), part)
  const header: Header = { generation, parts: parts.length, sha256: digest(ascii) }
  await items.set(profile, JSON.stringify(header))
  await removeParts(items, profile, generation, parts.length + 1)
  await removeParts(items, profile, generation === 'a' ? 'b' : 'a', 1)
}

/** Removes the secret of a profile with all its parts. */
export async function removeSecret(items: KeychainItems, profile: string): Promise<void> {
  await items.remove(profile)
  await removeParts(items, profile, 'a', 1)
  await removeParts(items, profile, 'b', 1)
}

const partName = (profile: string, generation: string, number: number) => `${profile}#${generation}${number}`

/** Removes the parts from number `first` on, in reverse: after an interruption, the remaining parts have no gap. */
async function removeParts(
  items: KeychainItems,
  profile: string,
  generation: Header['generation'],
  first: number,
) {
  let end = first
  while ((await items.get(partName(profile, generation, end))) !== null) end++
  for (let number = end - 1; number >= first; number--)
    await items.remove(partName(profile, generation, number))
}

async function joinParts(
  items: KeychainItems,
  profile: string,
  { generation, parts }: Header,
): Promise<string> {
  let secret = ''
  for (let number = 1; number <= parts; number++) {
    secret += (await items.get(partName(profile, generation, number))) ?? ''
  }
  return secret
}

/** Parses a header; undefined for other text and for a damaged header. */
function parseHeader(stored: string | null): Header | undefined {
  if (!stored?.startsWith(headerPrefix)) return undefined
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
