import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../cli/context.js'
import type { ExportedEntry, ExportFiles } from '../../import-export/export/export-format.js'
import { exportFileTexts } from '../../import-export/export/export-text.js'
import { TtError } from '../../lib/errors.js'
import { OutputFile } from '../../lib/output-file.js'

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
  const files = new Map<string, OutputFile>()
  try {
    for await (const texts of exportFileTexts(layout, entries)) {
      for (const [name, text] of texts) {
        const file = files.get(name) ?? new OutputFile(join(directory, name))
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

/** Returns the names of such files; creates the directory if it is missing. */
function existingFiles(directory: string, { namePattern }: ExportFiles): string[] {
  try {
    mkdirSync(directory, { recursive: true })
    return readdirSync(directory).filter((name) => namePattern.test(name))
  } catch (cause) {
    throw new TtError('failure', `${directory} cannot be used as a directory.`, {
      hint: 'Choose another directory for --output.',
      cause,
    })
  }
}
