import { createWriteStream } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorMessage, TtError } from '../../../lib/errors.js'

/** An open file that can be read at any position. */
export interface InputFile {
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
export async function openInput(path: string, stdin: NodeJS.ReadableStream): Promise<InputFile> {
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
