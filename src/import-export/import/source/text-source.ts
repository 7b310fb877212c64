import { TtError } from '../../../lib/errors.js'
import { type BytePosition, type Encoding, TextDecoding } from './encodings.js'
import { type InputFile, openInput } from './input-file.js'

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
