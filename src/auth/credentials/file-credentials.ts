import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigFileError, readConfigFile } from '../../config/config-file.js'
import type { Paths } from '../../config/paths.js'
import { TtError } from '../../lib/errors.js'
import { makeDirectoryPrivate, syncDirectory, writePrivateFile } from '../../lib/private-file.js'
import { type CredentialStore, parseCredentials } from './credentials.js'

/** The credentials of a profile in a file that its owner alone can read, for `--insecure-storage`. */
export function openFileCredentials(profile: string, paths: Paths): CredentialStore {
  const path = join(paths.state, 'credentials', `${profile}.json`)
  const write = (file: string, text: string) => {
    closedToOthers(dirname(file))
    writePrivateFile(file, text)
  }
  return {
    location: path,
    async read() {
      const text = readOwn(path)
      return text === undefined ? undefined : parseCredentials(text, path)
    },
    async write(credentials) {
      write(path, `${JSON.stringify(credentials, null, 2)}\n`)
    },
    async remove() {
      remove(path)
    },
    async verify() {
      // No profile has a name that begins with a dot.
      const probe = join(dirname(path), `.probe-${process.pid}`)
      write(probe, 'probe')
      const read = readOwn(probe)
      remove(probe)
      if (read === 'probe') return
      throw new TtError('failure', `${dirname(path)} does not keep what is written there.`)
    },
  }
}

function closedToOthers(directory: string) {
  try {
    makeDirectoryPrivate(directory)
  } catch (cause) {
    throw new TtError('failure', `The directory ${directory} cannot be kept for its owner alone.`, {
      hint: 'Check to whom it belongs. Nothing was stored.',
      cause,
    })
  }
}

/** Returns the text of a regular file of this user that nobody else can read; undefined where there is none. */
function readOwn(path: string): string | undefined {
  try {
    return readConfigFile(path, { noFollow: true, check: (file) => checkOwned(path, file) })?.text
  } catch (cause) {
    if (!(cause instanceof ConfigFileError)) throw cause
    if (cause.code === 'ELOOP')
      throw distrusted(path, 'is a link', 'Secrets are read from a file of their own alone: remove the link.')
    if (cause.code === undefined) throw distrusted(path, cause.message, 'Move it away and sign in again.')
    throw new TtError('failure', `${path} ${cause.message}.`, { hint: 'Check its permissions.', cause })
  }
}

function checkOwned(path: string, { mode, uid }: { mode: number; uid: number }) {
  const own = process.getuid?.()
  if (own === undefined) return // Windows: what counts are the rights of the directory, and they are the user's.
  if (uid !== own && uid !== 0)
    throw distrusted(path, 'belongs to another user', 'Move it away and sign in again.')
  if (mode & 0o077) {
    throw distrusted(
      path,
      'lets others in',
      `chmod 600 "${path}"\nIf somebody may have read it, sign out and in again: tt logout.`,
    )
  }
}

function distrusted(path: string, problem: string, hint: string): TtError {
  return new TtError('failure', `The credentials in ${path} are not used: it ${problem}.`, { hint })
}

function remove(path: string) {
  try {
    rmSync(path, { force: true })
    syncDirectory(dirname(path))
  } catch (cause) {
    throw new TtError('failure', `${path} could not be removed.`, { hint: 'Remove it by hand.', cause })
  }
}
