import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from '../../cli/context.js'
import type { ExportedEntry, ExportFiles } from '../../export/export-format.js'
import { exportFileTexts } from '../../export/export-text.js'
import { TtError } from '../../lib/errors.js'
import { PrivateFileWriter } from '../../lib/private-file-writer.js'

/** Writes the text to a file and returns its path in a list. */
export async function writeFile(path: string, chunks: AsyncIterable<string>): Promise<string[]> {
  const file = new PrivateFileWriter(path)
  try {
    for await (const chunk of chunks) file.write(chunk)
  } catch (error) {
    file.discard()
    throw error
  }
  file.commit()
  return [path]
}

/**
 * Divides the entries among the files of a directory, and returns their paths. Prompts before it replaces files; returns
 * undefined if the user declines.
 */
export async function writeDirectory(
  ctx: Context,
  directory: string,
  layout: ExportFiles,
  entries: AsyncIterable<readonly ExportedEntry[]>,
): Promise<string[] | undefined> {
  const existing = existingFiles(directory, layout)
  if (existing.length > 0) {
    const question = `Overwrite the files of the exported months in ${directory}?`
    if (!(await ctx.terminal.confirm(question))) return undefined
  }
  const files = new Map<string, PrivateFileWriter>()
  try {
    for await (const texts of exportFileTexts(layout, entries)) {
      for (const [name, text] of texts) {
        const file = files.get(name) ?? new PrivateFileWriter(join(directory, name))
        files.set(name, file)
        file.write(text)
      }
    }
  } catch (error) {
    for (const file of files.values()) file.discard()
    throw error
  }
  for (const file of files.values()) file.commit()
  return [...files.values()].map(({ path }) => path)
}

/**
 * Throws TtError `usage` if the directory of the path does not exist: a typing error would create another one.
 *
 * @param typed the path as the user typed it, for the message
 */
export function requireDirectoryOf(typed: string, path: string) {
  if (existsSync(dirname(path))) return
  throw new TtError('usage', `The directory ${dirname(typed)} does not exist.`, {
    hint: 'Create it, or choose another path.',
  })
}

/** Prompts before a regular file is replaced, but not for a device or a pipe. Returns whether to write. */
export async function confirmReplacement(ctx: Context, path: string): Promise<boolean> {
  const isReplaced = existsSync(path) && statSync(path).isFile() && !descriptorPath.test(path)
  return !isReplaced || ctx.terminal.confirm(`Replace ${path}?`)
}

/** Matches the names of open files, such as the file to which the shell redirects stdout. */
const descriptorPath = /^\/(?:dev\/(?:stdout|stderr|fd\/)|proc\/self\/fd\/)/

/** Returns the names of such files; creates the directory if it is missing. */
function existingFiles(directory: string, { namePattern }: ExportFiles): string[] {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    return readdirSync(directory).filter((name) => namePattern.test(name))
  } catch (cause) {
    throw new TtError('failure', `${directory} cannot be used as a directory.`, {
      hint: 'Choose another directory for --output.',
      cause,
    })
  }
}

export function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
