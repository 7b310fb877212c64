import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, TtError } from './errors.js'

/**
 * Writes `text` to the file at `path` for its owner only (0600 in a directory of 0700). The write is atomic and on the
 * disk when this returns. A link at `path` is replaced, not followed.
 *
 * Windows ignores modes; there, the directories of a user are closed to others already.
 *
 * Throws TtError `failure` when the file cannot be written; an existing file is unchanged then.
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
      hint: 'Check the permissions of the directory and the space on the disk. An existing file is unchanged.',
      cause,
    })
  }
}

/**
 * Replaces the file or symlink at `path` atomically by a file for its owner only (0600). The temporary file in the same
 * directory is new and has an unpredictable name. Throws the error of the system.
 *
 * @param isDurable whether the content is on the disk when this returns
 */
export function replacePrivateFile(path: string, text: string, isDurable: boolean) {
  const temporary = `${path}.${randomSuffix()}.tmp`
  try {
    createFile(temporary, text, isDurable)
    renameSync(temporary, path)
  } catch (error) {
    removeIfExists(temporary)
    throw error
  }
}

/** Returns an unpredictable text: V8 seeds Math.random with system entropy. Loading node:crypto is too slow for short commands. */
export function randomSuffix(): string {
  return `${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`
}

/** Creates the directory if it is missing, and denies other users access to it. */
export function makeDirectoryPrivate(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  chmodSync(directory, 0o700)
}

/** Creates the file. With O_EXCL ("wx") an existing file is an error, and a symlink is never followed (open(2)). */
function createFile(path: string, text: string, isDurable: boolean) {
  const file = openSync(path, 'wx', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    if (isDurable) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function removeIfExists(path: string) {
  try {
    rmSync(path, { force: true })
  } catch {
    // The caller reports why the file could not be written.
  }
}

/** Makes a rename or a removal in the directory survive a power cut, on systems that can sync directories. */
export function syncDirectory(directory: string) {
  let handle: number | undefined
  try {
    handle = openSync(directory, 'r')
    fsyncSync(handle)
  } catch {
    // Windows and some network file systems cannot. The change itself has succeeded.
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
