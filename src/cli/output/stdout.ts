import { fstatSync, readFileSync, readlinkSync, statSync, writeSync } from 'node:fs'
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

/** Number of bytes that a pipe or socket holds without a reader; a larger write could block the process. */
const safeBytes = 8192

/** Programs that open /dev/null for writing only, so that a descriptor for reading too was not theirs. */
const shells = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'mksh', 'sh', 'yash', 'zsh'])

/**
 * Whether the parent process has closed standard output, as `tt log >&-` does. Node then opens /dev/null there for reading
 * and writing, as some programs do to discard the output of a child (`stdio: 'ignore'` of Node, `DEVNULL` of Python); a
 * shell opens it for writing only. Linux alone shows this; false elsewhere.
 */
function isClosedByParent(descriptor: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== '/dev/null' || !isForReadingToo(descriptor))
      return false
    const parent = `/proc/${process.ppid}`
    const inherited = targetOf(`${parent}/fd/${descriptor}`)
    if (inherited === undefined) return statSync(`${parent}/fd`).isDirectory()
    return inherited !== '/dev/null' && shells.has(readFileSync(`${parent}/comm`, 'utf8').trim())
  } catch {
    return false // The process has ended, or belongs to another user.
  }
}

function isForReadingToo(descriptor: number): boolean {
  const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')
  const flags = Number.parseInt(/^flags:\s*(\d+)$/m.exec(info)?.[1] ?? '0', 8)
  const accessMode = flags & 3
  return accessMode === 2 // O_RDWR
}

/** Returns the target of a link; undefined without one. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Standard output or standard error. Writes the first texts directly to the file descriptor, because creating the stream
 * of Node loads network code. Creates the stream for longer output, or if the reader is slow.
 */
export class FdStream implements TextStream {
  readonly #descriptor: number
  readonly #createStream: () => NodeJS.WriteStream
  #stream: NodeJS.WriteStream | undefined
  #isTTY: boolean | undefined
  #isClosedOutput: boolean | undefined
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
    // A terminal that does not know its width reports 0.
    return this.isTTY ? this.stream.columns || undefined : undefined
  }

  get rows(): number | undefined {
    return this.isTTY ? this.stream.rows : undefined
  }

  /** Whether this is standard output, and the parent process has closed it. Messages on standard error need no reader. */
  #isClosed(): boolean {
    this.#isClosedOutput ??= this.#descriptor === 1 && isNull(1) && isClosedByParent(1)
    return this.#isClosedOutput
  }

  write(text: string, done?: (error?: Error | null) => void) {
    if (this.#isClosed()) {
      done?.(new Error('standard output is closed'))
      return
    }
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

function isNull(descriptor: number): boolean {
  try {
    return isNullDevice(fstatSync(descriptor))
  } catch {
    return false
  }
}

function isNullDevice({ rdev }: { rdev: number }): boolean {
  return rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev
}

function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return stats.isCharacterDevice() && !isNullDevice(stats)
  } catch {
    return false // The parent process closed it.
  }
}
