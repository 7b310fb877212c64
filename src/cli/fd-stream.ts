import { fstatSync, statSync, writeSync } from 'node:fs'
import type { TextStream } from './host.js'

/** What surely fits into a pipe or a socket that nobody reads yet: writing more could stop the process. */
const roomBytes = 8192

/**
 * Standard output or standard error. Making Node's stream for it loads its whole network code, so the first short
 * texts go straight to the descriptor, and the stream is made when there is more, or the reader is slow.
 */
export class FdStream implements TextStream {
  readonly #number: number
  readonly #make: () => NodeJS.WriteStream
  #stream: NodeJS.WriteStream | undefined
  #isTTY: boolean | undefined
  #roomBytes = process.platform === 'win32' ? 0 : roomBytes // A Windows console needs the stream's encoding.

  constructor(number: number, make: () => NodeJS.WriteStream) {
    this.#number = number
    this.#make = make
  }

  /** Node's own stream, from now on used for everything. */
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
    if (this.#stream || bytes.length > this.#roomBytes) {
      this.stream.write(bytes, done)
      return
    }
    try {
      const written = writeSync(this.#number, bytes)
      this.#roomBytes -= written
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
    const there = fstatSync(descriptor)
    return there.isCharacterDevice() && there.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  } catch {
    return false // Closed by whoever started this process.
  }
}
