import { fstatSync, statSync, writeSync } from 'node:fs'
import type { TextStream } from './text-stream.js'

/** Number of bytes that fit into an unread pipe or socket; a larger write could block the process. */
const safeBytes = 8192

/**
 * Standard output or standard error. Creating the stream of Node loads its network code, so the first short texts are
 * written directly to the descriptor. The stream is created for more text, or for a slow reader.
 */
export class FdStream implements TextStream {
  readonly #number: number
  readonly #make: () => NodeJS.WriteStream
  #stream: NodeJS.WriteStream | undefined
  #isTTY: boolean | undefined
  #remainingBytes = process.platform === 'win32' ? 0 : safeBytes // A Windows console needs the stream's encoding.

  constructor(number: number, make: () => NodeJS.WriteStream) {
    this.#number = number
    this.#make = make
  }

  /** The stream of Node, which is used for all further text. */
  get stream(): NodeJS.WriteStream {
    if (!this.#stream) {
      this.#stream = this.#make()
      this.#stream.on('error', () => {}) // Each write reports its own failure.
    }
    return this.#stream
  }

  get isTTY(): boolean {
    this.#isTTY ??= mayBeTerminal(this.#number) && this.stream.isTTY === true
    return this.#isTTY
  }

  get columns(): number | undefined {
    return this.isTTY ? this.stream.columns : undefined
  }

  get rows(): number | undefined {
    return this.isTTY ? this.stream.rows : undefined
  }

  write(text: string, done?: (error?: Error | null) => void) {
    const bytes = Buffer.from(text)
    if (this.#stream || bytes.length > this.#remainingBytes) {
      this.stream.write(bytes, done)
      return
    }
    try {
      const written = writeSync(this.#number, bytes)
      this.#remainingBytes -= written
      if (written < bytes.length) this.stream.write(bytes.subarray(written), done)
      else done?.()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.stream.write(bytes, done)
      else done?.(error as Error)
    }
  }
}

function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  } catch {
    return false // The parent process closed it.
  }
}
