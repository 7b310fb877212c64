import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pathsFor, workspacePath } from '../../src/config/paths.js'
import { temporaryDirectory, tt } from '../support/process.js'
import { createPartsView, figuresOf, type ReportGroup, sumWithSql } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { importIntoTimewarrior, missingTimewarriorReason } from '../support/timewarrior.js'
import { createRandomYear, localDays, storeEntries, type TrackedYear, taskPaths } from '../support/year.js'

const seed = chooseSeed('report figures')

/** Creates a year without a running entry, which would count up to the current time. */
function createFinishedYear(zone: string): TrackedYear {
  const tracked = createRandomYear(new SeededRandom(`${seed} ${zone}`))
  return { ...tracked, entries: tracked.entries.map((entry) => ({ ...entry, to: entry.to ?? tracked.now })) }
}

// Daylight saving of an hour, of half an hour, from midnight on, none, and the largest offsets from UTC.
test.for([
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
])('a year in %s has the figures of SQL and of Timewarrior', async (zone, { skip }) => {
  const year = createFinishedYear(zone)
  const home = temporaryDirectory()
  for (const place of taskPaths) {
    const added = await tt(home, ['add', place, '--from', '-2h', '--to', '-1h', '--create'])
    expect(added).toMatchObject({ status: 0 })
  }
  const database = await storeEntries(workspacePath(pathsFor({ TT_HOME: home })), year)
  onTestFinished(() => database.close())
  createPartsView(database, localDays(year.year, zone), year.now)

  const report = async (by: readonly string[]) => {
    const period = ['--since', `${year.year}`, '--until', `${year.year}`]
    const outcome = await tt(home, ['report', ...period, '--by', by.join(','), '--json'], { TZ: zone })
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    return JSON.parse(outcome.stdout) as ReportGroup
  }
  for (const by of [['day'], ['week', 'project'], ['weekday'], ['month', 'client', 'task']]) {
    const { groups } = await report(by)
    for (const depth of by.keys()) {
      expect(figuresOf(groups, depth + 1)).toEqual(sumWithSql(database, by.slice(0, depth + 1)))
    }
  }

  skip(missingTimewarriorReason !== undefined, `${missingTimewarriorReason}; compared only with SQL`)
  const { days, seconds } = importIntoTimewarrior(join(home, 'timewarrior'), zone, year, () => [
    'all',
  ]).summary()
  const { groups, ...total } = await report(['day'])
  expect(total.seconds).toBe(seconds)
  expect(groups.map(({ key, seconds }) => ({ day: key, seconds }))).toEqual(
    days.map(({ day, seconds }) => ({ day, seconds })),
  )
})
