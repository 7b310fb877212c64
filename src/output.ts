import { TtError } from './errors.js'
import type { TextStream } from './world.js'

/** Standard output: in order, no faster than it is read, and at peace with a reader who has seen enough. */
export class Output {
  readonly #stream: TextStream
  #written: Promise<void> = Promise.resolve()
  #closed = false

  constructor(stream: TextStream) {
    this.#stream = stream
  }

  /** Whether the reader has gone away: what is not written yet is not wanted. */
  get closed(): boolean {
    return this.#closed
  }

  /** Queues text. */
  push(text: string) {
    this.#written = this.#written.then(() => this.#write(text))
    this.#written.catch(() => {}) // `end` tells it.
  }

  /** Writes text and resolves when the stream has taken it. */
  async write(text: string): Promise<void> {
    this.push(text)
    await this.#written
  }

  /** Resolves when all is written. Throws TtError `failure` when it could not be. */
  end(): Promise<void> {
    return this.#written
  }

  #write(text: string): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => {
        if (!error) return resolve()
        this.#closed = true
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') return resolve()
        reject(new TtError('failure', `The output could not be written: ${error.message}.`, { cause: error }))
      })
    })
  }
}
