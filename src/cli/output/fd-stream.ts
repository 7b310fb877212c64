import { fstatSync, statSync, writeSync } from 'node:fs'
import type { TextStream } from './text-stream.js'

/** Number of bytes that a pipe or socket holds without a reader; a larger write could block the process. */
const safeBytes = 8192

/**
 * Standard output or standard error. Writes the first texts directly to the file descriptor, because creating the stream
 * of Node loads network code. Creates the stream for longer output, or if the reader is slow.
 */
export class FdStream implements TextStream {
  readonly #descriptor: number
  readonly #createStream: () => NodeJS.WriteStream
  #stream: NodeJS.WriteStream | undefined
  #isTTY: boolean | undefined
  #remainingBytes = process.platform === 'win32' ? 0 : safeBytes // A Windows console needs the stream's encoding.

  constructor(descriptor: number, createStream: () => NodeJS.WriteStream) {
    this.#descriptor = descriptor
    this.#createStream = createStream
  }

  /** Returns the stream of Node, which then receives all further text. */
  get stream(): NodeJS.WriteStream {
    if (!this.#stream) {
      this.#stream = this.#createStream()
      this.#stream.on('error', () => {}) // Each write reports its own failure.
    }
    return this.#stream
  }

  get isTTY(): boolean {
    this.#isTTY ??= mayBeTerminal(this.#descriptor) && this.stream.isTTY === true
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
      const written = writeSync(this.#descriptor, bytes)
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
