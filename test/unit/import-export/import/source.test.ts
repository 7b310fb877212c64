import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Encoding } from '../../../../src/import-export/import/source/encodings.js'
import {
  lineBatches,
  openTextSource,
  textSourceOf,
} from '../../../../src/import-export/import/source/text-source.js'
import { joinChunks } from '../../ui/special-texts.js'

const directory = mkdtempSync(join(tmpdir(), 'tt-test-source-'))
afterAll(() => rmSync(directory, { recursive: true }))

const noInput = Readable.from([])

/** Returns the text of a file with these bytes, or rejects with the error. */
async function decode(bytes: Buffer | string, encoding?: Encoding): Promise<string> {
  const path = join(directory, 'file.csv')
  writeFileSync(path, bytes)
  const file = await openTextSource(path, { stdin: noInput, encoding })
  try {
    return await joinChunks(file.chunks())
  } finally {
    await file.close()
  }
}

const text = 'Zeit,Größe €,日本 🔥\r\n'
const utf16be = (value: string) => Buffer.from(value, 'utf16le').swap16()

describe('a file', () => {
  test.each<[name: string, bytes: Buffer, encoding?: Encoding]>([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${text}`)],
    ['UTF-8 with a byte order mark, whatever is chosen', Buffer.from(`\ufeff${text}`), 'windows-1252'],
    ['UTF-16LE', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16BE', utf16be(`\ufeff${text}`)],
  ])('can be %s', async (_, bytes, encoding) => expect(await decode(bytes, encoding)).toBe(text))

  test('can be Windows-1252', async () => {
    const bytes = Buffer.from([0x80, 0x20, 0x96, 0x20, 0xfc, 0xdf, 0x92, 0x9f, 0x81])
    expect(await decode(bytes, 'windows-1252')).toBe('€ – üß’Ÿ\x81')
  })

  test('larger than a piece is decoded without errors at the boundaries', async () => {
    const long = 'aé日🔥'.repeat(60_000)
    expect(await decode(long)).toBe(long)
    expect(await decode(Buffer.from(`\ufeff${long}`, 'utf16le'))).toBe(long)
  })

  test('of another encoding is an error with its line', async () => {
    await expect(decode(Buffer.from('a\nb\nGr\xfc\xdfe\n', 'latin1'))).rejects.toMatchObject({
      code: 'usage',
      message: 'file.csv:3: This line is not UTF-8.',
      nextStep: { action: 'set_import_option', option: 'encoding' },
    })
    const long = Buffer.from(`${'é\n'.repeat(100_000)}\xff\n`, 'utf8')
    await expect(decode(Buffer.concat([long, Buffer.from([0xff, 0x0a])]))).rejects.toThrow(
      'file.csv:100002: This line',
    )
    await expect(decode(Buffer.from([0x61, 0x0a, 0xe6, 0x97]))).rejects.toThrow(
      'file.csv:2: This line is not UTF-8.',
    )
  })

  test.each<[name: string, bytes: Buffer, message: string]>([
    ['empty', Buffer.alloc(0), 'file.csv is empty.'],
    ['only a byte order mark', Buffer.from('\ufeff'), 'file.csv is empty.'],
    ['only white space', Buffer.from(' \r\n\t\n'), 'file.csv is empty.'],
    ['a ZIP archive', Buffer.from('PK\x03\x04'), 'is a ZIP archive or an Excel workbook, not a text file.'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8]), 'is a gzip archive'],
    ['a PDF document', Buffer.from('%PDF-1.7'), 'is a PDF document'],
    ['an SQLite database', Buffer.from('SQLite format 3\0'), 'is an SQLite database'],
    ['binary', Buffer.from([1, 2, 0, 4, 0, 0, 9]), 'is a binary file'],
    [
      'UTF-16 without a mark',
      Buffer.from('Start,End', 'utf16le'),
      'unsupported encoding: UTF-16 without a byte order mark',
    ],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'unsupported encoding: UTF-32'],
  ])('that is %s is an error', async (_, bytes, message) => {
    await expect(decode(bytes)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/./),
    })
  })

  test('that is missing or a directory is an error', async () => {
    const missing = openTextSource(join(directory, 'missing'), { stdin: noInput })
    const message = expect.stringContaining('does not exist')
    await expect(missing).rejects.toMatchObject({ code: 'usage', message })
    await expect(openTextSource(directory, { stdin: noInput })).rejects.toThrow('is a directory')
  })
})

describe('standard input and pipes', () => {
  let temporary: string
  beforeEach(() => {
    temporary = mkdtempSync(join(directory, 'tmp-'))
    vi.stubEnv('TMPDIR', temporary)
  })
  afterEach(() => void vi.unstubAllEnvs())

  async function readTwice(path: string, stdin: NodeJS.ReadableStream): Promise<string[]> {
    const file = await openTextSource(path, { stdin })
    const texts = [await joinChunks(file.chunks()), await joinChunks(file.chunks())]
    expect(file.position).toBe(file.size)
    // No name of the copy remains, even while it is read.
    if (process.platform !== 'win32') expect(readdirSync(temporary)).toEqual([])
    await file.close()
    return texts
  }

  test('can be read twice', async () => {
    const pieces = Array.from({ length: 50 }, () => Buffer.from('aé日🔥'.repeat(1000)))
    const whole = Buffer.concat(pieces).toString()
    expect(await readTwice('-', Readable.from(pieces))).toEqual([whole, whole])
  })

  test.skipIf(process.platform === 'win32')('include named pipes', async () => {
    const pipe = join(directory, 'pipe')
    spawnSync('mkfifo', [pipe])
    const reading = readTwice(pipe, noInput)
    writeFileSync(pipe, 'a,b\n')
    expect(await reading).toEqual(['a,b\n', 'a,b\n'])
  })

  test('that are empty are an error', async () => {
    await expect(openTextSource('-', { stdin: noInput })).rejects.toThrow('standard input is empty.')
  })
})

describe('lines', () => {
  const linesOf = async (...chunks: string[]) => {
    const found: [number, string][] = []
    for await (const { first, lines } of lineBatches(textSourceOf('file', ...chunks)))
      found.push(...lines.map((line, index): [number, string] => [first + index, line]))
    return found
  }

  test('end with LF or CRLF, also between two pieces', async () => {
    expect(await linesOf('a\nb\r', '\nc\r\n', '\n', 'd')).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
      [4, ''],
      [5, 'd'],
    ])
  })

  test('that never end are an error', async () => {
    const pieces = Array.from({ length: 9 }, () => 'x'.repeat(1024 * 1024))
    await expect(linesOf('a\n', ...pieces)).rejects.toThrow('file:2: This line is too long')
  })
})
