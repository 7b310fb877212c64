import { TtError } from '../lib/errors.js'
import type { Pager } from '../ui/pager.js'
import type { TextChunks } from '../ui/text.js'
import type { Host, TextStream } from './host.js'

/** Standard output: in order, no faster than it is read, and at peace with a reader who has seen enough. */
export class Stdout {
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

  /** Writes text and resolves when the stream has taken it. */
  write(text: string): Promise<void> {
    this.#written = this.#written.then(() => this.#write(text))
    return this.#written
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

/** A terminal, whose lines may be fewer than those of a text. */
export interface PagedScreen {
  lines: number
  openPager(): Promise<Pager | undefined>
}

/** The screen that standard output is; undefined where it is none that a pager could be used on. */
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
 * Writes texts as they come, those that do not fit on the screen through a pager: then it resolves when the reader has
 * quit it, at the end or before.
 */
export async function writeAll(texts: TextChunks, output: Stdout, screen?: PagedScreen): Promise<void> {
  let held = ''
  let target = screen ? undefined : output
  let pager: Pager | undefined
  try {
    for await (const text of texts) {
      held += text
      if (!target && screen && linesOf(held) < screen.lines) continue
      if (!target) pager = await screen?.openPager()
      target ??= pager ? new Stdout(pager) : output
      await target.write(held)
      if (target.closed) return
      held = ''
    }
    if (held) await output.write(held)
  } finally {
    await pager?.end()
  }
}

function linesOf(text: string): number {
  return text.split('\n').length - 1
}
