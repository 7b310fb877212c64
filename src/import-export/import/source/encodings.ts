import { isUtf8 } from 'node:buffer'
import { TtError } from '../../../lib/errors.js'

/** The encodings that can be chosen for a file without a byte order mark. */
export const encodings = ['utf-8', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

/** The offset of a byte that does not have the encoding, in the bytes that were decoded last. */
export interface BytePosition {
  offset: number
}

interface Decoder {
  /** Returns the text of the bytes, which may end within a character; the offset of an invalid byte otherwise. */
  decode(bytes: Buffer, isEnd: boolean): string | BytePosition
}

/** Byte order marks (Unicode 16.0 section 23.8), the longer ones first. */
const marks = [
  { bytes: [0xff, 0xfe, 0x00, 0x00], name: 'UTF-32' },
  { bytes: [0x00, 0x00, 0xfe, 0xff], name: 'UTF-32' },
  { bytes: [0xef, 0xbb, 0xbf], name: 'UTF-8' },
  { bytes: [0xff, 0xfe], name: 'UTF-16LE' },
  { bytes: [0xfe, 0xff], name: 'UTF-16BE' },
] as const

type DecodingName = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'Windows-1252'

/** What a file is instead of text, with an article, and what the user can do. */
interface BinaryKind {
  title: string
  hint: string
}

const extract = 'Extract it, and import the files in it.'
const exportAsText = 'Export the entries as CSV instead.'

const kinds: readonly (BinaryKind & { bytes: readonly number[] })[] = [
  {
    bytes: [0x50, 0x4b, 0x03, 0x04],
    title: 'a ZIP archive or an Excel workbook',
    hint: 'Extract the archive, or save the workbook as CSV (UTF-8).',
  },
  { bytes: [0x50, 0x4b, 0x05, 0x06], title: 'an empty ZIP archive', hint: 'Export the entries again.' },
  { bytes: [0x1f, 0x8b], title: 'a gzip archive', hint: extract },
  { bytes: [0x42, 0x5a, 0x68], title: 'a bzip2 archive', hint: extract },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], title: 'an xz archive', hint: extract },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], title: 'a 7z archive', hint: extract },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], title: 'a Zstandard archive', hint: extract },
  { bytes: [0x25, 0x50, 0x44, 0x46], title: 'a PDF document', hint: exportAsText },
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    title: 'a document of an older office program, such as Excel',
    hint: 'Save it as CSV (UTF-8).',
  },
  { bytes: [...Buffer.from('SQLite format 3')], title: 'an SQLite database', hint: exportAsText },
]

/** Returns what a file that begins with these bytes is; undefined if it may be text. */
function binaryKind(start: Buffer): BinaryKind | undefined {
  return kinds.find(({ bytes }) => bytes.every((byte, index) => start[index] === byte))
}

/** How the bytes of a file become text. */
export class TextDecoding {
  private constructor(
    /** The name of the encoding for messages. */
    readonly title: DecodingName,
    /** The length of the byte order mark in bytes. */
    readonly markLength: number,
  ) {}

  /**
   * Returns the encoding of a file: that of its byte order mark, otherwise `encoding`, otherwise UTF-8.
   *
   * Throws TtError `usage` for an empty file, an unsupported encoding, and a file that is not text.
   *
   * @param start the beginning of the file
   */
  static of(name: string, start: Buffer, encoding: Encoding | undefined): TextDecoding {
    const mark = marks.find(({ bytes }) => bytes.every((byte, index) => start[index] === byte))
    if (mark?.name === 'UTF-32') throw unsupportedError(name, 'UTF-32')
    if (start.length === (mark?.bytes.length ?? 0)) throw emptyError(name)
    if (mark) return new TextDecoding(mark.name, mark.bytes.length)
    const kind = binaryKind(start)
    if (kind) throw new TtError('usage', `${name} is ${kind.title}, not a text file.`, { hint: kind.hint })
    if (looksLikeUtf16(start)) throw unsupportedError(name, 'UTF-16 without a byte order mark')
    if (start.includes(0)) {
      const hint = 'Export the entries as CSV, JSON or another text format.'
      throw new TtError('usage', `${name} is a binary file, not a text file.`, { hint })
    }
    if (start.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))) throw emptyError(name)
    return new TextDecoding(encoding === 'windows-1252' ? 'Windows-1252' : 'UTF-8', 0)
  }

  /** Returns a decoder for the bytes after the byte order mark. */
  start(): Decoder {
    if (this.title === 'Windows-1252') return { decode: (bytes) => decodeWindows1252(bytes) }
    return this.title === 'UTF-8' ? new Utf8Decoder() : new Utf16Decoder(this.title)
  }
}

function emptyError(name: string): TtError {
  return new TtError('usage', `${name} is empty.`, { hint: 'Check the path, and export the file again.' })
}

function unsupportedError(name: string, encoding: string): TtError {
  return new TtError('usage', `${name} has an unsupported encoding: ${encoding}.`, {
    hint: 'Save the file as UTF-8.',
  })
}

/** Whether every second byte is zero, as in ASCII text in UTF-16. */
function looksLikeUtf16(start: Buffer): boolean {
  const sample = start.subarray(0, 64)
  if (sample.length < 4) return false
  const zeros = [0, 1].map((rest) => sample.filter((byte, index) => index % 2 === rest && byte === 0).length)
  const [even = 0, odd = 0] = zeros
  const half = Math.floor(sample.length / 2)
  return Math.max(even, odd) >= half * 0.9 && Math.min(even, odd) === 0
}

class Utf8Decoder implements Decoder {
  // Fatal decoding throws where U+FFFD would replace a byte.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  decode(bytes: Buffer, isEnd: boolean): string | BytePosition {
    try {
      return this.#decoder.decode(bytes, { stream: !isEnd })
    } catch {
      return { offset: invalidOffset(bytes) }
    }
  }
}

/** Returns the offset of the first line with an invalid byte. The first line may begin within a character. */
function invalidOffset(bytes: Buffer): number {
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from)
    const to = newline < 0 ? bytes.length : newline
    const isContinued = from === 0 && (bytes[0] ?? 0) >= 0x80
    if (!isContinued && !isUtf8(bytes.subarray(from, to))) return from
    from = to + 1
  }
  return 0
}

class Utf16Decoder implements Decoder {
  readonly #decoder: InstanceType<typeof TextDecoder>

  constructor(title: 'UTF-16LE' | 'UTF-16BE') {
    this.#decoder = new TextDecoder(title.toLowerCase(), { fatal: true, ignoreBOM: true })
  }

  decode(bytes: Buffer, isEnd: boolean): string | BytePosition {
    try {
      return this.#decoder.decode(bytes, { stream: !isEnd })
    } catch {
      return { offset: 0 }
    }
  }
}

/** The characters of the bytes 0x80 to 0x9f (WHATWG Encoding Standard, index windows-1252). */
const windows1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

/** Decodes Windows-1252. The TextDecoder of some versions of Node decodes it as ISO 8859-1. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character)
}
