import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
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

/**
 * Writes a file in pieces for its owner only (0600), and creates its directory (0700). The file appears, or replaces the
 * previous one, with `commit`, when its content is on the disk; `discard` leaves the previous one unchanged. A link is
 * followed. A device or a pipe is written directly.
 *
 * Every function throws TtError `failure` if it fails.
 */
export class PrivateFileWriter {
  readonly path: string
  readonly #target: string
  readonly #temporary: string | undefined
  readonly #file: number

  constructor(path: string) {
    this.path = path
    const exists = existsSync(path)
    this.#target = exists ? this.#attempt(() => realpathSync(path)) : path
    const isReplaceable = !exists || this.#attempt(() => statSync(path).isFile())
    this.#temporary = isReplaceable ? `${this.#target}.${randomSuffix()}.tmp` : undefined
    this.#file = this.#attempt(() => {
      if (this.#temporary === undefined) return openSync(this.#target, 'w')
      mkdirSync(dirname(this.#target), { recursive: true, mode: 0o700 })
      // With O_EXCL ("wx") an existing file is an error, and a symlink is never followed (open(2)).
      return openSync(this.#temporary, 'wx', 0o600)
    })
  }

  /** Appends text. */

  write(text: string) {
    this.#attempt(() => {
      const bytes = Buffer.from(text)
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
