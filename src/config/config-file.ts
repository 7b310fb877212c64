import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'

/** Upper bound for the size of a configuration file, in bytes. */
export const configLimitBytes = 64 * 1024

/** A configuration file that cannot be used. The message is a predicate without its subject: "is not a regular file". */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError'
  /** The code of the system error, such as `ELOOP`; undefined for a file that could be opened. */
  readonly code: string | undefined

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  }
}

export interface ConfigFile {
  /** The content as UTF-8, without a byte order mark. */
  text: string
  /** The id of the owner; 0 on Windows. */
  uid: number
  /** The type and permission bits, as in stat(2). */
  mode: number
}

export interface ReadOptions {
  /** Upper bound for the size in bytes; 64 KiB without it. */
  limitBytes?: number
  /** Rejects a symlink instead of following it. */
  noFollow?: boolean
  /** Called with the owner and the mode of the open file before it is read; may throw. */
  check?(file: Pick<ConfigFile, 'uid' | 'mode'>): void
}

/**
 * Reads a configuration file: a regular file of limited size. Never blocks on a FIFO or a device, and never reads more
 * than the limit. Returns undefined if there is no such file.
 *
 * Throws ConfigFileError for a file that is not regular, is too large or cannot be read.
 */
export function readConfigFile(path: string, options: ReadOptions = {}): ConfigFile | undefined {
  const descriptor = openRegularFile(path, options.noFollow === true)
  if (descriptor === undefined) return undefined
  try {
    // Checked through the descriptor: the file at `path` may have been replaced since.
    const { uid, mode } = fstatSync(descriptor)
    if (!isRegular(mode)) throw notRegularError()
    options.check?.({ uid, mode })
    return { text: readLimited(descriptor, options.limitBytes ?? configLimitBytes), uid, mode }
  } catch (cause) {
    throw cause instanceof Error && 'syscall' in cause ? unreadableError(cause) : cause
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns the JSON value in a configuration file, unchecked; undefined if there is no such file.
 *
 * Throws ConfigFileError like `readConfigFile`, and for a file that is not JSON.
 */
export function readJsonFile(path: string): unknown {
  const file = readConfigFile(path)
  return file && parseJson(file.text)
}

/** Returns the JSON value in the text of a configuration file. Throws ConfigFileError. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConfigFileError('is not JSON', cause)
  }
}

function openRegularFile(path: string, noFollow: boolean): number | undefined {
  const flags =
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (noFollow ? (constants.O_NOFOLLOW ?? 0) : 0)
  try {
    if (!noFollow) {
      // Opening a device can have effects. For a missing file, an error would take much longer than this.
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats) return undefined
      if (!stats.isFile()) throw notRegularError()
    }
    return openSync(path, flags)
  } catch (cause) {
    if (cause instanceof ConfigFileError) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadableError(cause)
  }
}

function readLimited(descriptor: number, limitBytes: number): string {
  // One byte more than the limit shows that there is more. The size in fstat is 0 for some file systems.
  const bytes = Buffer.allocUnsafe(limitBytes + 1)
  let length = 0
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, null)
    if (count === 0) return bytes.toString('utf8', 0, length).replace(/^\ufeff/, '')
    length += count
  }
  throw new ConfigFileError(`is larger than ${limitBytes / 1024} KiB`)
}

const isRegular = (mode: number) => (mode & constants.S_IFMT) === constants.S_IFREG

const notRegularError = () => new ConfigFileError('is not a regular file')

function unreadableError(cause: unknown): ConfigFileError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return new ConfigFileError(`cannot be read (${code ?? cause})`, cause)
}
