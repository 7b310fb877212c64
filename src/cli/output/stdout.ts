import { TtError } from '../../lib/errors.js'
import type { Pager } from '../../ui/pager.js'
import type { TextChunks } from '../../ui/text.js'
import type { Host, TextStream } from '../host.js'

/** Writes text to standard output, in order and with backpressure. A closed pipe is not an error. */
export class Stdout {
  readonly #stream: TextStream
  #pendingWrites: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(stream: TextStream) {
    this.#stream = stream
  }

  /** Whether the reader has closed the pipe; further text is discarded. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Writes text and resolves when the stream has accepted it. */
  write(text: string): Promise<void> {
    this.#pendingWrites = this.#pendingWrites.then(() => this.#write(text))
    return this.#pendingWrites
  }

  /** Marks the end of a result of the command. A subclass can change the whole result here. */
  async endResult(): Promise<void> {}

  /** Resolves when all text is written. Rejects with TtError `failure` if writing failed. */
  end(): Promise<void> {
    return this.#pendingWrites
  }

  #write(text: string): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (error) => {
        if (!error) return resolve()
        this.#isClosed = true
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') return resolve()
        reject(new TtError('failure', `The output could not be written: ${error.message}.`, { cause: error }))
      })
    })
  }
}

/** A terminal that can show long text in a pager. */
export interface PagedScreen {
  lines: number
  openPager(): Promise<Pager | undefined>
}

/** Returns the screen of standard output, or undefined if it cannot show a pager. */
export function pagedScreen(
  { stdout, env, untilStopped }: Host,
  warn: (text: string) => void,
): PagedScreen | undefined {
  const lines = stdout.isTTY && env.TERM !== 'dumb' ? stdout.rows : undefined
  if (!lines) return undefined
  return {
    lines,
    async openPager() {
      const { openPager } = await import('../../ui/pager.js')
      return openPager({ env, warn, untilStopped })
    },
  }
}

/**
 * Writes text in chunks, through a pager if it does not fit on the screen. Resolves when all is written, or when the
 * user quits the pager.
 */
export async function writeAll(texts: TextChunks, output: Stdout, screen?: PagedScreen): Promise<void> {
  let buffer = ''
  let target = screen ? undefined : output
  let pager: Pager | undefined
  try {
    for await (const text of texts) {
      buffer += text
      if (!target && screen && linesOf(buffer) < screen.lines) continue
      if (!target) pager = await screen?.openPager()
      target ??= pager ? new Stdout(pager) : output
      await target.write(buffer)
      if (target.isClosed) return
      buffer = ''
    }
    if (buffer) await output.write(buffer)
  } finally {
    await pager?.end()
  }
}

function linesOf(text: string): number {
  return text.split('\n').length - 1
}
