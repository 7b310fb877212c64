import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, TtError } from './errors.js'
import { randomSuffix, syncDirectory } from './private-file.js'
import { isBrokenLink } from './sqlite/database-errors.js'

/** Matches the names of open files, such as the file to which the shell redirects stdout. */
const descriptorPath = /^\/(?:dev\/(?:stdout|stderr|fd\/)|proc\/self\/fd\/)/

/** Whether writing to the path would replace a regular file. */
export function isReplacement(path: string): boolean {
  return existsSync(path) && statSync(path).isFile() && !descriptorPath.test(path)
}

/** Writes the chunks to the file that the user has named. Throws TtError `failure`; a previous file is unchanged then. */
export async function writeOutputFile(path: string, chunks: AsyncIterable<string | Uint8Array>) {
  const file = new OutputFile(path)
  try {
    for await (const chunk of chunks) file.write(chunk)
  } catch (error) {
    file.discard()
    throw error
  }
  file.commit()
}

/**
 * A file that the user has named, written in pieces. It appears, or replaces the previous one, with `commit`, when its
 * content is on the disk; `discard` leaves the previous one unchanged. A new file follows the umask; the next one keeps
 * the permissions of the previous one. A link is followed. A device, a pipe or an open file is written directly.
 *
 * Every function throws TtError `failure` if it fails.
 */
export class OutputFile {
  readonly path: string
  readonly #target: string
  readonly #temporary: string | undefined
  readonly #file: number

  constructor(path: string) {
    this.path = path
    this.#target = this.#attempt(() => targetOf(path))
    const isNew = !existsSync(this.#target)
    this.#temporary = isNew || isReplacement(path) ? `${this.#target}.${randomSuffix()}.tmp` : undefined
    this.#file = this.#attempt(() => {
      // Appends, because an open file may have content: "tt export --output /dev/stdout >> all.csv".
      if (this.#temporary === undefined) return openSync(this.#target, 'a')
      // A rename would replace a file that its owner has protected.
      if (!isNew) accessSync(this.#target, constants.W_OK)
      // With O_EXCL ("wx") an existing file is an error, and a symlink is never followed (open(2)).
      const file = openSync(this.#temporary, 'wx', 0o666)
      if (!isNew) fchmodSync(file, statSync(this.#target).mode & 0o777)
      return file
    })
  }

  /** Appends text or bytes. */
  write(chunk: string | Uint8Array) {
    this.#attempt(() => {
      const bytes = Buffer.from(chunk)
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written)
    })
  }

  /** Closes the file and puts it in its place. */
  commit() {
    this.#attempt(() => {
      try {
        if (this.#temporary !== undefined) fsyncSync(this.#file)
      } finally {
        closeSync(this.#file)
      }
      if (this.#temporary !== undefined) renameSync(this.#temporary, this.#target)
    })
    syncDirectory(dirname(this.#target))
  }

  /** Closes the file and removes what was written. */
  discard() {
    closeSync(this.#file)
    if (this.#temporary !== undefined) rmSync(this.#temporary, { force: true })
  }

  #attempt<Value>(action: () => Value): Value {
    try {
      return action()
    } catch (cause) {
      throw new TtError('failure', `${this.path} could not be written: ${errorMessage(cause)}.`, {
        hint: 'Check the permissions of the directory and the space on the disk. An existing file is unchanged.',
        cause,
      })
    }
  }
}

/** Returns the path that is written: the target of a symbolic link. Throws for a link without target. */
function targetOf(path: string): string {
  if (isBrokenLink(path)) throw new Error('it is a symbolic link whose target is missing')
  return existsSync(path) && !descriptorPath.test(path) ? realpathSync(path) : path
}
