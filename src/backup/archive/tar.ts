/** A file in a tar archive, in the format of POSIX.1-1988 ("ustar"), which every tar program reads. */
export interface TarFile {
  name: string
  /** The size of the content in bytes. */
  size: number
  /** The content, in parts; read it before the next file. */
  content: AsyncIterable<Buffer>
}

/** An archive that is not a tar archive, or ends early. The message is a predicate: "ends early". */
export class TarError extends Error {
  override readonly name = 'TarError'
}

const blockBytes = 512
/** The size field has 11 octal digits. */
const maxFileBytes = 8 ** 11 - 1

/** Returns the header of a regular file that only its owner may read. */
export function tarHeader(name: string, bytes: number, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > 100 || bytes > maxFileBytes)
    throw new TarError(`cannot contain ${name} (${bytes} bytes)`)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(bytes, 11), 124)
  header.write(octal(Math.floor(modifiedAt.getTime() / 1000), 11), 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Returns the zeros that complete the last block of a file. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)
}

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes)

/** Yields the files of an archive. Throws TarError for anything that `tarHeader` does not write. */
export async function* readTar(bytes: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const reader = new BlockReader(bytes)
  for (;;) {
    const header = await reader.read(blockBytes)
    if (header.every((byte) => byte === 0)) return reader.readToEnd()
    const { name, size } = parseHeader(header)
    const content = reader.chunks(size)
    yield { name, size, content }
    // Skips what the caller has not read.
    for await (const _ of content);
    await reader.read(tarPadding(size).length)
  }
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (start: number, length: number) =>
    header.toString('utf8', start, start + length).replace(/\0.*$/s, '')
  const [name, size, checksum] = [text(0, 100), text(124, 12), text(148, 8)]
  const isTar = text(257, 5) === 'ustar' && Number.parseInt(checksum, 8) === checksumOf(header)
  if (!isTar || !/^[0-7]+ *$/.test(size)) throw new TarError('is not a tar archive')
  if (text(156, 1) !== '0' || text(345, 155) !== '') throw new TarError(`contains ${name}, which is unknown`)
  return { name, size: Number.parseInt(size, 8) }
}

/** Returns the sum of all bytes, with spaces in the checksum field. */
function checksumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0)
}

/** Reads an exact number of bytes from a stream of parts. */
class BlockReader {
  readonly #parts: AsyncIterator<Buffer>
  #rest = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#parts = bytes[Symbol.asyncIterator]()
  }

  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.chunks(length)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *chunks(length: number): AsyncGenerator<Buffer> {
    for (let remaining = length; remaining > 0; ) {
      if (this.#rest.length === 0) this.#rest = await this.#next()
      const part = this.#rest.subarray(0, remaining)
      this.#rest = this.#rest.subarray(part.length)
      remaining -= part.length
      yield part
    }
  }

  /** Reads the rest of the stream, so that an error at its end is found. */
  async readToEnd(): Promise<void> {
    while (!(await this.#parts.next()).done);
  }

  async #next(): Promise<Buffer<ArrayBuffer>> {
    const { value, done } = await this.#parts.next()
    if (done) throw new TarError('ends early')
    return value as Buffer<ArrayBuffer>
  }
}
