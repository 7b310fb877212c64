import { pathsFor, workspacePath } from '../../src/config/paths.js'
import { preparedCli } from './prepared-cli.js'
import { storeManyEntries } from './stored-entries.js'
import type { TestCli } from './test-cli.js'
import { addTasks, storedEntriesOf, type TrackedYear } from './year.js'

/** Its clock is after the years of all tests. */
const createCliWithTasks = preparedCli('2026-06-01T12:00:00', addTasks)

/** Creates a home whose local workspace contains the entries of a year, and a `TestCli` for it. */
export async function createYearHome(year: TrackedYear): Promise<{ home: string; cli: TestCli }> {
  const cli = await createCliWithTasks()
  await storeManyEntries(workspacePath(pathsFor(cli.env)), storedEntriesOf(year))
  return { home: cli.home, cli }
}
