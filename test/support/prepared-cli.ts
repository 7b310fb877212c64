import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createTestCli, type TestCli } from './test-cli.js'

/**
 * Returns a function that creates a `TestCli` with the files that `prepare` has created. Its commands run once per worker
 * at the start time of the clock; copies of the files are much faster.
 */
export function preparedCli(
  time: string,
  prepare: (cli: TestCli) => Promise<unknown>,
): () => Promise<TestCli> {
  let files: Promise<ReadonlyMap<string, Buffer>> | undefined
  async function createFiles() {
    const cli = createTestCli(time)
    await prepare(cli)
    return readFiles(cli.home)
  }
  return async () => {
    files ??= createFiles()
    const template = await files
    const cli = createTestCli(time)
    writeFiles(cli.home, template)
    return cli
  }
}

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
