import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigFileError, readConfigFile } from '../../../config/config-file.js'
import type { Paths } from '../../../config/paths.js'
import { TtError, type TtErrorDetails } from '../../../lib/errors.js'
import { makeDirectoryPrivate, syncDirectory, writePrivateFile } from '../../../lib/private-file.js'
import { type CredentialStore, parseCredentials } from './credentials.js'

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
