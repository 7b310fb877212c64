import { TtError } from '../lib/errors.js'
import type { Pager } from '../ui/pager.js'
import type { TextChunks } from '../ui/text.js'
import type { Host } from './host.js'
import type { TextStream } from './text-stream.js'

/** Standard output: writes in order, with backpressure; a closed pipe is not an error. */
export class Stdout {
  readonly #stream: TextStream
  #written: Promise<void> = Promise.resolve()
  #closed = false

  constructor(stream: TextStream) {
    this.#stream = stream
  }

  /** Whether the reader has closed the pipe; further text is discarded. */
  get closed(): boolean {
    return this.#closed
  }

  /** Writes text and resolves when the stream has accepted it. */
  write(text: string): Promise<void> {
    this.#written = this.#written.then(() => this.#write(text))
    return this.#written
  }

  /** Resolves when all text is written. Throws TtError `failure` when writing fails. */
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

/** A terminal that can show long text in a pager. */
export interface PagedScreen {
  lines: number
  openPager(): Promise<Pager | undefined>
}

/** Returns the screen of standard output; undefined where a pager cannot be used. */
export function pagedScreen(
  { stdout, env, untilStopped }: Host,
  warn: (text: string) => void,
): PagedScreen | undefined {
  const lines = stdout.isTTY && env.TERM !== 'dumb' ? stdout.rows : undefined
  if (!lines) return undefined
  return {
    lines,
    async openPager() {
      const { openPager } = await import('../ui/pager.js')
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
      if (target.closed) return
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
