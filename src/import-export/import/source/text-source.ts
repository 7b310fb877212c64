import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorMessage, TtError } from '../../../lib/errors.js'
import { type BytePosition, type Encoding, TextDecoding } from './encodings.js'

/** A text that can be read several times from its beginning, in pieces. */
export interface TextSource {
  /** The name of the file for messages, or "standard input". */
  readonly name: string
  /** Yields the text in pieces that may end anywhere, also between the two characters of a line ending. */
  chunks(): AsyncIterable<string>
}

export interface SourceFile extends TextSource {
  /** The size in bytes. */
  readonly size: number
  /** The bytes that the current reading has consumed, for progress. */
  readonly position: number
  /** Closes the file. A copy of standard input no longer exists then. */
  close(): Promise<void>
}

const chunkBytes = 128 * 1024

/**
 * Opens a file to import: UTF-8, or UTF-16 with a byte order mark, unless `encoding` is another one. Standard input and
 * pipes are first copied to a private file, which also disappears when the process is killed.
 *
 * Throws TtError `usage` for a file that is missing, a directory, empty or not text; reading throws it for bytes that do
 * not have the encoding.
 *
 * @param path `-` for standard input
 */
export async function openTextSource(
  path: string,
  { stdin, encoding }: { stdin: NodeJS.ReadableStream; encoding?: Encoding | undefined },
): Promise<SourceFile> {
  const input = await openInput(path, stdin)
  try {
    const start = Buffer.alloc(Math.min(input.size, chunkBytes))
    await input.file.read(start, 0, start.length, 0)
    return new DecodedFile(input, TextDecoding.of(input.name, start, encoding))
  } catch (error) {
    await input.close()
    throw error
  }
}

/** Returns a source with a text in memory. */
export function textSourceOf(name: string, ...chunks: string[]): TextSource {
  return {
    name,
    async *chunks() {
      yield* chunks
    },
  }
}

class DecodedFile implements SourceFile {
  position = 0

  constructor(
    private readonly input: InputFile,
    private readonly decoding: TextDecoding,
  ) {}

  get name(): string {
    return this.input.name
  }

  get size(): number {
    return this.input.size
  }

  async *chunks(): AsyncGenerator<string> {
    const decoder = this.decoding.start()
    const buffer = Buffer.alloc(chunkBytes)
    this.position = this.decoding.markLength
    for (;;) {
      const { bytesRead } = await this.input.file.read(buffer, 0, chunkBytes, this.position)
      const isEnd = bytesRead === 0
      const decoded = decoder.decode(buffer.subarray(0, bytesRead), isEnd)
      if (typeof decoded !== 'string') throw await this.#encodingError(decoded, buffer.subarray(0, bytesRead))
      if (decoded !== '') yield decoded
      if (isEnd) return
      this.position += bytesRead
    }
  }

  async close() {
    await this.input.close()
  }

  /** Returns the error for a byte of this buffer, which is at the current position of the file. */
  async #encodingError({ offset }: BytePosition, buffer: Buffer): Promise<TtError> {
    const line = (await this.#countNewlines(this.position)) + countNewlines(buffer.subarray(0, offset)) + 1
    const { title } = this.decoding
    return new TtError('usage', `${this.name}:${line}: This line is not ${title}.`, {
      hint: 'Save the file as UTF-8.',
      nextStep: { action: 'set_import_option', option: 'encoding' },
    })
  }

  async #countNewlines(end: number): Promise<number> {
    const buffer = Buffer.alloc(chunkBytes)
    let count = 0
    for (let at = 0; at < end; at += chunkBytes) {
      const { bytesRead } = await this.input.file.read(buffer, 0, Math.min(chunkBytes, end - at), at)
      count += countNewlines(buffer.subarray(0, bytesRead))
    }
    return count
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++
  return count
}

/** An open file that can be read at any position. */
interface InputFile {
  file: FileHandle
  /** The name for messages. */
  name: string
  /** In bytes. */
  size: number
  /** Closes the file, and removes it if it is a copy. */
  close(): Promise<void>
}

/**
 * Opens a file. Standard input (`-`) and what is not a regular file, such as a pipe, is copied to a private file, because
 * it can be read only once.
 *
 * Throws TtError `usage` for a file that cannot be opened, and `failure` if the copy cannot be written.
 */
async function openInput(path: string, stdin: NodeJS.ReadableStream): Promise<InputFile> {
  if (path === '-') return copyOf(stdin, 'standard input')
  const name = basename(path)
  const file = await openFile(path)
  const stats = await file.stat()
  if (stats.isFile()) return { file, name, size: stats.size, close: () => file.close() }
  if (stats.isDirectory()) {
    await file.close()
    const hint = 'Write the paths of the files in it.'
    throw new TtError('usage', `${path} is a directory.`, { hint })
  }
  return copyOf(file.createReadStream(), name)
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const problem = isMissing ? 'does not exist' : `cannot be read: ${errorMessage(cause)}`
    throw new TtError('usage', `${path} ${problem}.`, { hint: 'Check the path and its permissions.', cause })
  }
}

/**
 * Copies a stream to a file that only this user can read. Its name is removed while it is open, so that nothing remains of
 * it even if the process is killed; Windows removes it when it is closed.
 */
async function copyOf(stream: NodeJS.ReadableStream, name: string): Promise<InputFile> {
  let directory: string | undefined
  const remove = async () => {
    if (directory !== undefined) await rm(directory, { recursive: true, force: true })
  }
  try {
    directory = await mkdtemp(join(tmpdir(), 'tt-import-')) // Its mode is 0700.
    const path = join(directory, 'input')
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    const file = await open(path, 'r')
    if (process.platform !== 'win32') await remove()
    const close = async () => {
      await file.close()
      await remove()
    }
    return { file, name, size: (await file.stat()).size, close }
  } catch (cause) {
    await remove()
    throw new TtError('failure', `${name} could not be copied to a temporary file: ${errorMessage(cause)}.`, {
      hint: 'Check the space on the disk of temporary files.',
      cause,
    })
  }
}

/** Lines of a text, without their line endings; the number of the first one is `first`. */
interface LineBatch {
  first: number
  lines: string[]
}

/** Upper bound for the characters of a line, so that a file without line endings cannot fill the memory. */
export const maxLineLength = 8 * 1024 * 1024

/** Yields the lines of a text in batches. Lines end with LF or CRLF. Throws TtError `usage` for a line of 8 million characters. */
export async function* lineBatches(source: TextSource): AsyncGenerator<LineBatch> {
  let first = 1
  let rest = ''
  for await (const chunk of source.chunks()) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength) throw longLineError(source.name, first + lines.length)
    if (lines.length === 0) continue
    yield { first, lines: lines.map(withoutReturn) }
    first += lines.length
  }
  if (rest !== '') yield { first, lines: [withoutReturn(rest)] }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}

function longLineError(name: string, line: number): TtError {
  return new TtError('usage', `${name}:${line}: This line is too long for a list of entries.`, {
    hint: 'Check that it is the file that you want to import.',
  })
}
