import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { expectedParts, sumParts } from '../support/expected-figures.js'
import { missingHledgerReason, sumWithHledger } from '../support/hledger.js'
import { figuresByName, type ReportGroup } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { share } from '../support/share.js'
import { importIntoTimewarrior, missingTimewarriorReason } from '../support/timewarrior.js'
import { createRandomYear, createSeparateYear, localDays, type TrackedYear } from '../support/year.js'
import { createYearHome } from '../support/year-home.js'

const seed = chooseSeed('report figures')

const initialZone = process.env.TZ
afterEach(() => {
  process.env.TZ = initialZone
})

/** Creates a year without a running entry, which would count up to the current time. */
function createFinishedYear(zone: string): TrackedYear {
  const tracked = createRandomYear(new SeededRandom(`${seed} ${zone}`), zone)
  return { ...tracked, entries: tracked.entries.map((entry) => ({ ...entry, to: entry.to ?? tracked.now })) }
}

// Daylight saving of an hour, of half an hour, from midnight on, none, and the largest offsets from UTC.
const zones = share('zones of a year', [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
])

test.for(zones)('a year in %s has the expected figures and those of Timewarrior', async (zone, { skip }) => {
  const year = createFinishedYear(zone)
  const { home, cli } = await createYearHome(year)
  const parts = expectedParts(year, localDays(year.year, zone))

  process.env.TZ = zone
  const report = async (by: readonly string[]) => {
    const period = ['--since', `${year.year}`, '--until', `${year.year}`]
    const outcome = await cli.run('report', ...period, '--by', by.join(','), '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    return outcome.json() as ReportGroup
  }
  const days = await report(['day'])
  for (const by of [['day'], ['week', 'client', 'project'], ['weekday'], ['month', 'client', 'task']]) {
    const { groups } = by[0] === 'day' ? days : await report(by)
    for (const depth of by.keys())
      expect(figuresByName(groups, depth + 1)).toEqual(sumParts(parts, by.slice(0, depth + 1)))
  }

  skip(missingTimewarriorReason !== undefined, missingTimewarriorReason)
  const timewarrior = importIntoTimewarrior(join(home, 'timewarrior'), zone, year, () => ['all']).summary()
  expect(days.seconds).toBe(timewarrior.seconds)
  expect(days.groups.map(({ key, seconds }) => ({ day: key, seconds }))).toEqual(
    timewarrior.days.map(({ day, seconds }) => ({ day, seconds })),
  )
})

test.for(['Australia/Lord_Howe', 'America/Santiago'])(
  'a year without overlaps in %s has the totals of hledger for each project and day',
  async (zone, { skip }) => {
    skip(missingHledgerReason !== undefined, missingHledgerReason)
    const year = createSeparateYear(new SeededRandom(`${seed} separate ${zone}`), zone)
    const { home, cli } = await createYearHome(year)
    process.env.TZ = zone
    const period = ['--since', `${year.year}`, '--until', `${year.year}`]
    const days = new Map(localDays(year.year, zone).map(({ day, from, to }) => [day, to - from]))
    const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
    // hledger calculates with wall times, so that days on which the clocks change cannot be compared.
    const isComparable = (day = '') => days.get(day) === 86_400
    const entries = await cli.json<LoggedEntry[]>('log', ...period)
    const sessions = entries.map(({ client, project, time_start, time_end }) => ({
      account: `${client ?? 'none'}:${project}`,
      from: Date.parse(time_start) / 1000,
      to: Date.parse(time_end) / 1000,
    }))
    const dayOf = (second: number) => dayFormat.format(second * 1000)
    const isWithinClockChange = ({ from, to }: (typeof sessions)[number]) =>
      dayOf(from) === dayOf(to) && days.has(dayOf(from)) && !isComparable(dayOf(from))
    const ledger = sumWithHledger(
      home,
      zone,
      sessions.filter((session) => !isWithinClockChange(session)),
    ).filter(({ day }) => isComparable(day))

    const report = await cli.json<ReportGroup>('report', '--by', 'client,project,day', ...period)
    const found = new Map(
      report.groups.flatMap((client) =>
        client.groups.flatMap((project) =>
          project.groups
            .filter(({ key }) => isComparable(key ?? ''))
            .map((day): [string, ReportGroup] => [`${client.key ?? 'none'}:${project.key} ${day.key}`, day]),
        ),
      ),
    )
    expect(new Map(ledger.map(({ account, day, sessions }) => [`${account} ${day}`, sessions]))).toEqual(
      new Map([...found].map(([key, { count }]) => [key, count])),
    )
    for (const { account, day, hours, toleranceHours } of ledger) {
      const exact = (found.get(`${account} ${day}`)?.seconds ?? 0) / 3600
      expect(Math.abs(hours - exact)).toBeLessThanOrEqual(toleranceHours + 1e-9)
    }
  },
)

interface LoggedEntry {
  client: string | null
  project: string
  time_start: string
  time_end: string
}
