import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ArchiveError,
  type Manifest,
  readArchive,
  writeArchive,
} from '../../../src/backup/archive/archive.js'
import { tarEnd, tarHeader, tarPadding } from '../../../src/backup/archive/tar.js'
import { temporaryDirectory } from '../../support/process.js'

const manifest: Manifest = {
  format: 'tt-backup',
  version: 1,
  created_at: '2024-05-08T12:00:00.000Z',
  tt_version: '1.0.0',
  records: { entries: 1, expenses: 0, pending: 2 },
}

const newerManifest = JSON.stringify({ ...manifest, version: 4, tt_version: '9.0.0' })

/** Writes an archive with these files, and returns its path. */
async function write(files: Record<string, Buffer>, root = temporaryDirectory()): Promise<string> {
  const directory = mkdtempSync(join(root, 'files-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  const path = join(directory, 'archive.tar.gz')
  await writeArchive(path, { directory, names: Object.keys(files), manifest })
  return path
}

/** Returns a tar archive of these files, as any other program may write it. */
function pack(files: [name: string, content: string][]): Buffer {
  const parts = files.flatMap(([name, content]) => {
    const bytes = Buffer.from(content)
    return [tarHeader(name, bytes.length, new Date(0)), bytes, tarPadding(bytes.length)]
  })
  return gzipSync(Buffer.concat([...parts, tarEnd]))
}

/** Returns an archive of a manifest and these files. */
const packBackup = (...files: [name: string, content: string][]) =>
  pack([['manifest.json', JSON.stringify(manifest)], ...files])

const problemOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'none',
    (error: unknown) => (error instanceof ArchiveError ? error.problem : String(error)),
  )

test('an archive returns the files that were written, of any size', { tags: 'slow' }, async () => {
  const root = temporaryDirectory()
  const sizes = fc.oneof(
    fc.integer({ min: 0, max: 3 }).map((blocks) => blocks * 512),
    fc.nat(200_000),
  )
  await fc.assert(
    fc.asyncProperty(sizes, sizes, fc.nat(255), async (first, second, byte) => {
      const files = {
        'workspace.db': Buffer.alloc(first, byte),
        'profiles/acme-1f2e.x_Y/state.db': Buffer.alloc(second, byte + 1),
      }
      const directory = mkdtempSync(join(root, 'extracted-'))
      const content = await readArchive(await write(files, root), directory)
      expect(content.manifest).toMatchObject(manifest)
      for (const [name, bytes] of Object.entries(files))
        expect(readFileSync(join(directory, name)).equals(bytes)).toBe(true)
    }),
    { numRuns: 30 },
  )
})

test('every truncated or changed archive is rejected', { tags: 'slow' }, async () => {
  const path = await write({ 'workspace.db': Buffer.from('records '.repeat(300)) })
  const bytes = readFileSync(path)
  const changed = join(dirname(path), 'changed.tar.gz')
  const seen = new Set<string>()
  for (let index = 20; index < bytes.length; index += 7) {
    writeFileSync(changed, bytes.subarray(0, index))
    seen.add(await problemOf(readArchive(changed)))
    // Compressed again, so that only the checksums of the archive show the change.
    const unpacked = gunzipSync(bytes)
    const position = Math.floor((index / bytes.length) * (unpacked.length - tarEnd.length * 2))
    unpacked[position] = (unpacked[position] ?? 0) ^ 0x21
    writeFileSync(changed, gzipSync(unpacked))
    const problem = await problemOf(readArchive(changed))
    if (problem !== 'none') seen.add(problem)
    else {
      // Only bytes that have no meaning may change: padding, and fields of headers that are not read.
      expect((await readArchive(changed)).sums).toEqual((await readArchive(path)).sums)
    }
  }
  expect([...seen].filter((problem) => !['damaged', 'other_format', 'newer'].includes(problem))).toEqual([])
  expect(seen).toContain('damaged')
})

/** Sets a byte of the first header of a tar archive, and its checksum. */
function setByte(tar: Buffer, offset: number, character: string, hasChecksum: boolean): Buffer {
  const changed = Buffer.from(tar)
  const before = changed[offset] ?? 0
  changed.write(character, offset)
  const checksum = Number.parseInt(changed.toString('latin1', 148, 154), 8) + (changed[offset] ?? 0) - before
  if (hasChecksum) changed.write(checksum.toString(8).padStart(6, '0'), 148)
  return changed
}

test.each<[what: string, change: (tar: Buffer) => Buffer, problem: string]>([
  ['whose header has another checksum', (tar) => setByte(tar, 101, '7', false), 'damaged'],
  ['with a symbolic link', (tar) => setByte(tar, 156, '2', true), 'damaged'],
  ['without its end', (tar) => tar.subarray(0, -tarEnd.length), 'damaged'],
  ['with other permissions', (tar) => setByte(tar, 101, '7', true), 'none'],
])('a complete archive %s', async (_, change, problem) => {
  const path = await write({ 'workspace.db': Buffer.from('records '.repeat(300)) })
  writeFileSync(path, gzipSync(change(gunzipSync(readFileSync(path)))))
  expect(await problemOf(readArchive(path))).toBe(problem)
})

test.each<[what: string, content: Buffer, problem: string]>([
  ['an empty file', Buffer.alloc(0), 'other_format'],
  ['a SQLite database', Buffer.from(`SQLite format 3\0${' '.repeat(500)}`), 'database'],
  ['a compressed text', gzipSync('id,task\n1,Design\n'.repeat(100)), 'damaged'],
  ['another tar archive', pack([['readme.txt', 'text']]), 'other_format'],
  ['an archive without checksums', packBackup(), 'damaged'],
  ['an archive of a newer version', pack([['manifest.json', newerManifest]]), 'newer'],
  ['an archive with a path outside of it', packBackup(['profiles/../../x/state.db', 'x']), 'other_format'],
  ['an archive with credentials', packBackup(['credentials/acme.json', '{}']), 'other_format'],
  ['an archive with a file twice', packBackup(['config.json', '{}'], ['config.json', '{}']), 'other_format'],
])('%s is rejected, and nothing is written outside', async (_, content, problem) => {
  const directory = temporaryDirectory()
  const path = join(directory, 'file')
  writeFileSync(path, content)
  const target = join(directory, 'inside')
  mkdirSync(target)
  expect(await problemOf(readArchive(path, target))).toBe(problem)
})

test('a missing file and a directory are rejected', async () => {
  const directory = temporaryDirectory()
  expect(await problemOf(readArchive(join(directory, 'missing')))).toBe('unreadable')
  expect(await problemOf(readArchive(directory))).toBe('not_a_file')
})
