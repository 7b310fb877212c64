import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Reads all files below a directory, by path. */
export function readFiles(directory: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return new Map(files.map((path) => [relative(directory, path), readFileSync(path)]))
}

/** Writes files below a directory, by path. */
export function writeFiles(directory: string, files: ReadonlyMap<string, Buffer>) {
  for (const [name, content] of files) {
    const path = join(directory, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, content, { mode: 0o600 })
  }
}
