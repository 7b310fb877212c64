import { expect, onTestFinished } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import { temporaryDirectory, tt } from './process.js'
import { storeEntries, type TrackedYear, taskPaths } from './year.js'

/** Creates a home whose local workspace contains the entries of a year. */
export async function createYearHome(year: TrackedYear): Promise<{ home: string; database: Sqlite }> {
  const home = temporaryDirectory()
  for (const place of taskPaths) {
    const added = await tt(home, ['add', place, '--from', '-2h', '--to', '-1h', '--create'])
    expect(added).toMatchObject({ status: 0 })
  }
  const database = await storeEntries(workspacePath(pathsFor({ TT_HOME: home })), year)
  onTestFinished(() => database.close())
  return { home, database }
}
