import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, TtError } from './errors.js'

/**
 * Puts `text` into the file at `path` for its owner alone (0600 in a directory of 0700): wholly, or not at all, and on
 * the disk when it returns. A link at `path` is replaced, not followed.
 *
 * On Windows modes say nothing; there the user's own directories are closed to others already.
 *
 * Throws TtError `failure` when it cannot be written; what was there then stays.
 */
export function writePrivateFile(path: string, text: string) {
  const directory = dirname(path)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    replacePrivateFile(path, text, true)
    syncDirectory(directory)
  } catch (cause) {
    const reason = errorMessage(cause)
    throw new TtError('failure', `${path} could not be written: ${reason}.`, {
      hint: 'Check the permissions of the directory and the space on the disk. What was there is unchanged.',
      cause,
    })
  }
}

/**
 * Replaces the file at `path`, or a symlink there, by one for its owner alone (0600) in one step. The temporary file
 * beside it has a name that cannot be predicted, and is never one that exists. Throws the error of the system.
 *
 * @param isDurable whether the content is on the disk when this returns
 */
export function replacePrivateFile(path: string, text: string, isDurable: boolean) {
  const temporary = `${path}.${unpredictable()}.tmp`
  try {
    write(temporary, text, isDurable)
    renameSync(temporary, path)
  } catch (error) {
    removeIfThere(temporary)
    throw error
  }
}

/** V8 seeds Math.random with entropy of the system. For short commands, loading node:crypto takes too long. */
function unpredictable(): string {
  return `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`
}

/** Takes the rights of everybody else to a directory of secrets away. */
export function makeDirectoryPrivate(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
}

/** With O_EXCL ("wx") an existing file fails the call, and a symlink is never followed (open(2)). */
function write(path: string, text: string, isDurable: boolean) {
  const file = openSync(path, 'wx', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    if (isDurable) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function removeIfThere(path: string) {
  try {
    rmSync(path, { force: true })
  } catch {
    // Where nothing could be written, nothing is left over; why is told already.
  }
}

/** Makes a rename or a removal in the directory survive a power cut, where directories can be synchronised. */
export function syncDirectory(directory: string) {
  let handle: number | undefined
  try {
    handle = openSync(directory, 'r')
    fsyncSync(handle)
  } catch {
    // Windows and some network file systems cannot. The change itself has been made.
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
