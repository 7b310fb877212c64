import { onTestFinished } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { preparedCli } from './prepared-cli.js'
import { storeManyEntries } from './stored-entries.js'
import type { TestCli } from './test-cli.js'
import { addTasks, storedEntriesOf, type TrackedYear } from './year.js'

/** Its clock is after the years of all tests. */
const createCliWithTasks = preparedCli('2026-06-01T12:00:00', addTasks)

/** Creates a home whose local workspace contains the entries of a year, and a `TestCli` for it. */
export async function createYearHome(
  year: TrackedYear,
): Promise<{ home: string; cli: TestCli; database: Sqlite }> {
  const cli = await createCliWithTasks()
  const path = workspacePath(pathsFor(cli.env))
  await storeManyEntries(path, storedEntriesOf(year))
  const database = await openSqlite(path)
  onTestFinished(() => database.close())
  return { home: cli.home, cli, database }
}
