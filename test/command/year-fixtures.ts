import { expect } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import { preparedCli } from '../support/prepared-cli.js'
import type { ReportGroup } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { storeManyEntries } from '../support/stored-entries.js'
import type { TestCli } from '../support/test-cli.js'
import { addTasks, createRandomYear, storedEntriesOf } from '../support/year.js'

export const zone = 'Europe/Berlin'
export const year = createRandomYear(new SeededRandom(chooseSeed('report figures')), zone)

const createCliWithEntries = preparedCli(new Date(year.now * 1000).toISOString(), async (cli) => {
  await addTasks(cli)
  await storeManyEntries(workspacePath(pathsFor(cli.env)), storedEntriesOf(year))
})

/** Creates a `TestCli` whose workspace contains the entries of the year. */
export function createYearCli(): Promise<TestCli> {
  expect(process.env.TZ).toBe(zone)
  return createCliWithEntries()
}

export interface BilledReport extends ReportGroup {
  billable_seconds: number
  billable_rounded_seconds: number
  groups: BilledReport[]
}

/** Reports on the year. */
export const runYearReport = (cli: TestCli, by: readonly string[], ...options: string[]) =>
  cli.json<BilledReport>('report', `${year.year}`, '--by', by.join(','), ...options)
