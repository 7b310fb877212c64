import type { ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { TtError } from '../../lib/errors.js'
import { type CredentialStore, parseCredentials } from './credentials.js'
import { type KeychainItems, readSecret, removeSecret, writeSecret } from './keychain-items.js'

const where = 'the keychain of this system'

/**
 * The Credential Manager of Windows takes 2560 bytes of UTF-16 a secret (CRED_MAX_CREDENTIAL_BLOB_SIZE), which is 1280
 * characters; a few are left for the driver. The others take any length, and there a profile is always one item.
 */
const maxCharacters = process.platform === 'win32' ? 1200 : Number.POSITIVE_INFINITY

/**
 * The credentials of a profile as one item in the keychain of the system, under the service `tt`.
 *
 * Every call has a time limit: 30 seconds when a user can unlock the keychain, without a retry, which would replace the
 * dialog that unlocks it; otherwise 5 seconds, and one retry. Throws TtError `failure` that tells apart
 * a keychain that is not there, one that is locked or refuses, and one that does not respond.
 */
export function openKeychain(
  profile: string,
  { isAttended = false }: { isAttended?: boolean } = {},
): CredentialStore {
  const using = <Result>(work: (items: KeychainItems) => Promise<Result>) =>
    isAttended ? withKeychain(30_000, work) : withRetry(5_000, work)
  return {
    location: where,
    async read() {
      const text = await using((items) => readSecret(items, profile))
      return text === null ? undefined : parseCredentials(text, where)
    },
    write: (credentials) => using((items) => writeSecret(items, profile, JSON.stringify(credentials))),
    remove: () => using((items) => removeSecret(items, profile)),
    verify: () => using((items) => verify(items)),
  }
}

async function verify(items: KeychainItems) {
  // No profile has such a name.
  const probe = `#probe-${process.pid}`
  await items.set(probe, 'probe')
  const read = await items.get(probe)
  await items.remove(probe)
  if (read === 'probe') return
  throw new TtError('failure', 'The keychain of this system does not keep what is stored in it.', {
    hint: unprotected,
  })
}

const unprotected =
  '`tt login --insecure-storage` keeps secrets in a file that you alone can read, if you choose so.'

/**
 * A program of its own that calls the keychain: one request a line on standard input, one response a line. Its first
 * line says that it is ready: from then on the keychain is what a request waits for.
 *
 * The driver asks the Secret Service synchronously, and a call that is never answered can neither be given up inside
 * a process nor even be left behind by ending it: it would take tt with it. Another process can be killed.
 *
 * On Linux the driver would silently take the kernel's keyring, which forgets everything at the next start, where there
 * is no Secret Service; it is told not to. (The functions of its `keytar` module cannot be told.)
 */
const program = `
let driver, failure
try {
  driver = require(process.argv[1])
} catch (error) {
  failure = error
}
const open = (account) => {
  try {
    if (!driver) throw failure
    const { AsyncEntry } = driver
    return new AsyncEntry('tt', account, { linux: { store: 'secret-service' } })
  } catch (error) {
    throw Object.assign(error, { absent: true })
  }
}
const calls = {
  get: (account) => open(account).getPassword(),
  set: (account, secret) => open(account).setPassword(secret),
  remove: (account) => open(account).deletePassword(),
}
const answer = async (line) => {
  const [call, ...given] = JSON.parse(line)
  try {
    return { value: (await calls[call](...given)) ?? null }
  } catch (error) {
    return { failed: error.message, absent: error.absent === true }
  }
}
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  process.stdout.write(JSON.stringify(await answer(line)) + '\\n')
})
process.stdout.write('{"value":true}\\n')
`

type Answered = { value: string | boolean | null } | { failed: string; absent: boolean }

/** How long the helper process may take to start, on a machine under load, in milliseconds. */
const startLimitMs = 60_000

/** The keychain did not respond in time. */
class SilentKeychainError extends TtError {}

/**
 * The same as `withKeychain`, once more where the keychain did not respond: it may have been busy with others. All that
 * is done with items comes to the same when it is repeated.
 */
async function withRetry<Result>(
  timeLimitMs: number,
  work: (items: KeychainItems) => Promise<Result>,
): Promise<Result> {
  try {
    return await withKeychain(timeLimitMs, work)
  } catch (error) {
    if (!(error instanceof SilentKeychainError)) throw error
    return withKeychain(timeLimitMs, work)
  }
}

/** Starts a helper process for `work`, which has `timeLimitMs` for each call of the keychain. */
async function withKeychain<Result>(
  timeLimitMs: number,
  work: (items: KeychainItems) => Promise<Result>,
): Promise<Result> {
  const { spawn } = await import('node:child_process')
  const driver = createRequire(import.meta.url).resolve('keytar')
  const child = spawn(process.execPath, ['-e', program, driver], {
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  })
  try {
    const call = await caller(child, timeLimitMs)
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

/** Waits until the helper process is ready, and returns what calls the keychain through it. */
async function caller(child: ChildProcess, timeLimitMs: number) {
  const { stdin, stdout } = child
  if (!stdin || !stdout) throw new TtError('failure', 'No process could be started to ask the keychain.')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const broken = new Promise<never>((_, reject) => {
    const give = (error: Error) => reject(absent(error.message))
    child.on('error', give)
    stdin.on('error', give)
  })
  broken.catch(() => {}) // The caller that waits for a response gets the error.
  const next = async () => {
    const line = await Promise.race([lines.next(), broken])
    if (line.done) throw absent('it ended without an answer')
    return JSON.parse(line.value) as Answered
  }
  /** The driver waits 2 s for a reply, which a Secret Service that is busy may take longer for. */
  const untilReply = async (request: string): Promise<Answered> => {
    for (;;) {
      stdin.write(request)
      const answered = await next()
      if (!('failed' in answered && noReply.test(answered.failed))) return answered
      await pause(100)
    }
  }
  await inTime(startLimitMs, next(), notStarted)
  return async (...request: string[]) => {
    const line = `${JSON.stringify(request)}\n`
    const answered = await inTime(timeLimitMs, untilReply(line), () => silent(timeLimitMs))
    if ('value' in answered) return answered.value
    throw answered.absent ? absent(answered.failed) : refused(answered.failed)
  }
}

/** How D-Bus words org.freedesktop.DBus.Error.NoReply. */
const noReply = /Did not receive a reply/

async function inTime<Result>(
  limitMs: number,
  answer: Promise<Result>,
  late: () => TtError,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs)
  })
  try {
    return await Promise.race([answer, timeUp])
  } finally {
    clearTimeout(timer)
  }
}

function absent(reason: string): TtError {
  return new TtError('failure', `There is no keychain that tt can use (${reason}).`, {
    hint:
      process.platform === 'linux'
        ? `Start a Secret Service such as gnome-keyring or KWallet in this session. ${unprotected}`
        : unprotected,
  })
}

function refused(reason: string): TtError {
  return new TtError('failure', `The keychain is locked, or refuses tt (${reason}).`, {
    hint: `Unlock it and repeat the command. ${unprotected}`,
  })
}

function silent(timeLimitMs: number): SilentKeychainError {
  return new SilentKeychainError('failure', `The keychain has not responded for ${timeLimitMs / 1000} s.`, {
    hint: `Unlock it, or answer its prompt, and repeat the command. ${unprotected}`,
  })
}

function notStarted(): TtError {
  const what = `The process that calls the keychain has not started for ${startLimitMs / 1000} s.`
  return new TtError('failure', what, { hint: 'Repeat the command when the machine has less to do.' })
}
