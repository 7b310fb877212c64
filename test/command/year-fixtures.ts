import { expect, onTestFinished } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import type { Sqlite } from '../../src/lib/sqlite/connection.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createPartsView, type ReportGroup } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import type { TestCli } from '../support/test-cli.js'
import { createRandomYear, localDays, storeEntries, taskPaths } from '../support/year.js'

export const zone = 'Europe/Berlin'
export const year = createRandomYear(new SeededRandom(chooseSeed('report figures')), zone)

const databasePath = ({ env }: TestCli) => workspacePath(pathsFor(env))

const createCliWithEntries = preparedCli(new Date(year.now * 1000).toISOString(), async (cli) => {
  for (const place of taskPaths) await cli.json('add', place, '--from', '-2h', '--to', '-1h', '--create')
  const database = await storeEntries(databasePath(cli), year)
  database.close()
})

/** Creates a `TestCli` whose workspace contains the entries of the year, and opens its database. */
export async function createYearCli(): Promise<{ cli: TestCli; database: Sqlite }> {
  expect(process.env.TZ).toBe(zone)
  const cli = await createCliWithEntries()
  const database = await openSqlite(databasePath(cli))
  onTestFinished(() => database.close())
  createPartsView(database, localDays(year.year, zone), year.now)
  return { cli, database }
}

export interface BilledReport extends ReportGroup {
  billable_seconds: number
  billable_rounded_seconds: number
  groups: BilledReport[]
}

/** Reports on the year. */
export const runYearReport = (cli: TestCli, by: readonly string[], ...options: string[]) =>
  cli.json<BilledReport>(
    'report',
    '--since',
    `${year.year}`,
    '--until',
    `${year.year}`,
    '--by',
    by.join(','),
    ...options,
  )
