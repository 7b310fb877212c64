import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, statfsSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { errorMessage, TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { sizeText } from '../../lib/text/words.js'
import { aliasesName, invoiceNumbersName } from '../contents.js'
import { readTar, TarError, tarEnd, tarHeader, tarPadding } from './tar.js'

/**
 * The description of a backup, its first file. The archive is a gzip-compressed tar archive: manifest.json, the files,
 * and SHA256SUMS in the format of sha256sum, which shows that the archive is complete.
 */
export interface Manifest {
  format: 'tt-backup'
  /** The version of the layout. */
  version: number
  /** RFC 3339. */
  created_at: string
  /** The version of the program. */
  tt_version: string
  /** The size of all files in bytes, without the manifest. Missing in older backups. */
  bytes?: number
  /** The number of records, for comparison with the databases. */
  records: { entries: number; expenses: number; pending: number }
}

/**
 * The latest version of the layout. Version 2 has aliases, version 3 has invoice numbers: programs that do not know them reject
 * the backup as another format.
 */
const latestVersion = 3

/** Returns the lowest version of the layout that can contain files with these names. */
export function versionFor(names: readonly string[]): number {
  if (names.includes(invoiceNumbersName)) return latestVersion
  return names.includes(aliasesName) ? 2 : 1
}

/** Upper bounds for the files of a backup: databases compress to a tenth, and zeros to a thousandth. */
const maxExpandedBytes = (archiveBytes: number) => 64 * 1024 * 1024 + 50 * archiveBytes
const maxFiles = 500
export const maxTextBytes = 8 * 1024 * 1024

/** Space that remains free on the disk, in bytes. */
const reservedBytes = 16 * 1024 * 1024

const manifestName = 'manifest.json'
const sumsName = 'SHA256SUMS'

/** The names of all possible files. The key of a state is a part of a path. */
const namePattern =
  /^(manifest\.json|SHA256SUMS|config\.json|aliases\.json|profiles\.json|invoice-numbers\.json|workspace\.db|profiles\/[A-Za-z0-9][\w.-]*\/state\.db)$/

/** SHA-256 by name of the file. */
export type Sums = ReadonlyMap<string, string>

export interface ArchiveOptions {
  /** The directory with the files. */
  directory: string
  /** Their names in it. */
  names: readonly string[]
  /** Without the size, which is that of the files. */
  manifest: Manifest
}

/** Writes an archive to a new file for its owner only, and syncs it to the disk. Throws errors of the system. */
export async function writeArchive(path: string, options: ArchiveOptions): Promise<Sums> {
  const sums = new Map<string, string>()
  const bytes = Readable.from(archiveBytes(options, sums))
  await pipeline(bytes, createGzip(), createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  return sums
}

async function* archiveBytes(
  { directory, names, manifest }: ArchiveOptions,
  sums: Map<string, string>,
): AsyncGenerator<Buffer> {
  const at = new Date(manifest.created_at)
  const bytes = names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  const text = Buffer.from(`${JSON.stringify({ ...manifest, bytes }, null, 2)}\n`)
  sums.set(manifestName, createHash('sha256').update(text).digest('hex'))
  yield* [tarHeader(manifestName, text.length, at), text, tarPadding(text.length)]
  for (const name of names) {
    const path = join(directory, name)
    const { size } = statSync(path)
    const hash = createHash('sha256')
    yield tarHeader(name, size, at)
    for await (const part of createReadStream(path)) {
      hash.update(part)
      yield part
    }
    yield tarPadding(size)
    sums.set(name, hash.digest('hex'))
  }
  const lines = Buffer.from([...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(''))
  yield* [tarHeader(sumsName, lines.length, at), lines, tarPadding(lines.length), tarEnd]
}

/** What an archive contains. */
export interface ArchiveContent {
  manifest: Manifest
  sums: Sums
}

/**
 * Reads the whole archive at `path`, and compares its files with its checksums. With `directory`, writes its files there
 * and syncs them to the disk. Throws ArchiveError if it is not a complete backup that this program can read.
 */
export async function readArchive(path: string, directory?: string): Promise<ArchiveContent> {
  const file = await open(path).catch((cause) => {
    throw new ArchiveError('unreadable', cause)
  })
  try {
    await checkMagic(file)
    const stream = file.createReadStream({ start: 0, autoClose: false })
    // Reading reports errors; one that comes after a refusal has no reader.
    const gunzip = createGunzip().on('error', () => {})
    stream.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
    const limitBytes = maxExpandedBytes((await file.stat()).size)
    return await readFiles(limited(gunzip, limitBytes), directory, limitBytes)
  } catch (cause) {
    throw toArchiveError(cause)
  } finally {
    await file.close()
  }
}

/** Throws ArchiveError for a file of another kind. */
async function checkMagic(file: FileHandle): Promise<void> {
  if (!(await file.stat()).isFile()) throw new ArchiveError('not_a_file')
  const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0)
  if (buffer.toString('latin1') === 'SQLite format 3\0') throw new ArchiveError('database')
  const isGzip = buffer[0] === 0x1f && buffer[1] === 0x8b
  if (!isGzip) throw new ArchiveError('other_format')
}

/** Yields the parts, also those after the end of the archive. Throws ArchiveError above the limit. */
async function* limited(parts: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const part of parts) {
    bytes += part.length
    checkSize(bytes, limitBytes)
    yield part
  }
}

async function readFiles(
  bytes: AsyncIterable<Buffer>,
  directory: string | undefined,
  limitBytes: number,
): Promise<ArchiveContent> {
  let total = 0
  /** The bytes that the manifest has declared, and no file has used. */
  let declared = 0
  const sums = new Map<string, string>()
  let manifest: Manifest | undefined
  let listed: string | undefined
  for await (const { name, size, content } of readTar(bytes)) {
    total += size
    // Nothing of a file is written before its size is checked.
    checkSize(total, limitBytes)
    if (name.endsWith('.json') && size > maxTextBytes)
      throw refused(`${name} has more than ${sizeText(maxTextBytes)}`)
    if (sums.size > maxFiles) throw refused(`it has more than ${maxFiles} files`)
    if (!manifest) {
      if (name !== manifestName) throw new ArchiveError('other_format')
      const text = await readText(content)
      manifest = parseManifest(text)
      declared = manifest.bytes ?? limitBytes
      checkSize(declared, limitBytes)
      sums.set(name, createHash('sha256').update(text).digest('hex'))
    } else if (name === sumsName) listed = (await readText(content)).toString()
    else if (!namePattern.test(name) || sums.has(name)) throw new ArchiveError('other_format')
    else {
      declared -= size
      if (declared < 0) throw refused('its files are larger than it declares')
      if (directory !== undefined) checkDisk(directory, size)
      sums.set(name, await store(content, directory === undefined ? undefined : join(directory, name)))
    }
  }
  if (!manifest) throw new ArchiveError('other_format')
  const found = [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join('')
  if (listed !== found) throw new ArchiveError('damaged', new Error('The checksums differ.'))
  return { manifest, sums }
}

function checkSize(bytes: number, limitBytes: number) {
  if (bytes > limitBytes)
    throw refused(`it expands to more than ${sizeText(limitBytes)}, which no backup of its size does`)
}

/** Throws ArchiveError if the file would fill the disk. */
function checkDisk(directory: string, bytes: number) {
  const { bavail, bsize } = statfsSync(directory)
  const free = bavail * bsize - reservedBytes
  if (bytes > free)
    throw new ArchiveError(
      'disk',
      new Error(`it needs ${sizeText(bytes)}, and the disk has ${sizeText(Math.max(0, free))}`),
    )
}

async function readText(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of content) {
    bytes += part.length
    if (bytes > 1_000_000) throw new ArchiveError('other_format')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Writes the content to a new file, unless `path` is undefined, and returns its checksum. */
async function store(content: AsyncIterable<Buffer>, path: string | undefined): Promise<string> {
  const hash = createHash('sha256')
  if (path === undefined) {
    for await (const part of content) hash.update(part)
    return hash.digest('hex')
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of content) {
      hash.update(part)
      await file.writeFile(part)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

function parseManifest(text: Buffer): Manifest {
  let manifest: unknown
  try {
    manifest = JSON.parse(text.toString())
  } catch {
    throw new ArchiveError('other_format')
  }
  if (!isObject(manifest) || manifest.format !== 'tt-backup') throw new ArchiveError('other_format')
  const { version, created_at: createdAt, tt_version: ttVersion, records } = manifest
  if (typeof version === 'number' && version > latestVersion)
    throw new ArchiveError('newer', undefined, String(ttVersion))
  const isComplete =
    (version === 1 || version === 2 || version === latestVersion) &&
    typeof ttVersion === 'string' &&
    !Number.isNaN(Date.parse(String(createdAt))) &&
    isObject(records) &&
    ['entries', 'expenses', 'pending'].every((name) => Number.isInteger(records[name])) &&
    (manifest.bytes === undefined || Number.isSafeInteger(manifest.bytes))
  if (!isComplete) throw new ArchiveError('other_format')
  return manifest as unknown as Manifest
}

/** Returns the error for an archive that cannot be decompressed or unpacked; other errors unchanged. */
function toArchiveError(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const isDamaged = cause instanceof TarError || code.startsWith('Z_')
  return isDamaged ? new ArchiveError('damaged', cause) : cause
}

type ArchiveProblem =
  | 'unreadable'
  | 'not_a_file'
  | 'database'
  | 'other_format'
  | 'damaged'
  | 'newer'
  | 'refused'
  | 'disk'

/** A file that is not a backup that this program can read. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly problem: ArchiveProblem
  /** The version of the program that wrote it. */
  readonly writtenBy: string | undefined

  constructor(problem: ArchiveProblem, cause?: unknown, writtenBy?: string) {
    super(problem, { cause })
    this.problem = problem
    this.writtenBy = writtenBy
  }
}

/** Returns the error for a backup that would occupy the machine. `reason` is a clause. */
export const refused = (reason: string) => new ArchiveError('refused', new Error(reason))

/** Returns the error for the user. `path` is the file as the user named it. */
export function toReadableArchiveError(error: unknown, path: string): unknown {
  if (!(error instanceof ArchiveError)) return error
  const { problem, cause, writtenBy } = error
  const create = (code: 'failure' | 'not_found' | 'usage', message: string, hint: string) =>
    new TtError(code, message, { hint: `Nothing was changed. ${hint}`, cause: error })
  switch (problem) {
    case 'unreadable': {
      const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
      return isMissing
        ? create('not_found', `There is no file ${path}.`, 'Check the path.')
        : create('failure', `${path} cannot be read: ${errorMessage(cause)}.`, 'Check its permissions.')
    }
    case 'not_a_file':
      return create('usage', `${path} is not a regular file.`, 'Use the path of a backup.')
    case 'database':
      return create(
        'usage',
        `${path} is a SQLite database, not a backup of a user.`,
        'To use a copy of a served database, serve the copy.',
      )
    case 'other_format':
      return create('usage', `${path} is not a backup of tt.`, 'Use a file that tt has saved as a backup.')
    case 'damaged':
      return create('failure', `The backup ${path} is damaged or incomplete.`, 'Use another backup.')
    case 'refused':
      return create(
        'failure',
        `The backup ${path} is refused: ${errorMessage(cause)}.`,
        'Use another backup.',
      )
    case 'disk':
      return create(
        'failure',
        `The backup ${path} cannot be extracted: ${errorMessage(cause)}.`,
        'Free space on the disk.',
      )
    case 'newer':
      return create('failure', `The backup ${path} was written by a newer tt (${writtenBy}).`, 'Update tt.')
  }
}
