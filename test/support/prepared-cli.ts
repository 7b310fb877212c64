import { readFiles, writeFiles } from './home-files.js'
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
