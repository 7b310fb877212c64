import { onTestFinished } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import { preparedCli } from './prepared-cli.js'
import type { TestCli } from './test-cli.js'
import { storeEntries, type TrackedYear, taskPaths } from './year.js'

/** Its clock is after the years of all tests. */
const createCliWithTasks = preparedCli('2026-06-01T12:00:00', async (cli) => {
  for (const place of taskPaths) await cli.json('add', place, '--from', '-2h', '--to', '-1h', '--create')
})

/** Creates a home whose local workspace contains the entries of a year, and a `TestCli` for it. */
export async function createYearHome(
  year: TrackedYear,
): Promise<{ home: string; cli: TestCli; database: Sqlite }> {
  const cli = await createCliWithTasks()
  const database = await storeEntries(workspacePath(pathsFor(cli.env)), year)
  onTestFinished(() => database.close())
  return { home: cli.home, cli, database }
}
