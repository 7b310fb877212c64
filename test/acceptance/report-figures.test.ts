import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { missingHledgerReason, sumWithHledger } from '../support/hledger.js'
import { createPartsView, figuresOf, type ReportGroup, sumWithSql } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { share } from '../support/share.js'
import { importIntoTimewarrior, missingTimewarriorReason } from '../support/timewarrior.js'
import {
  createRandomYear,
  createSeparateYear,
  localDays,
  type TrackedYear,
  taskPaths,
} from '../support/year.js'
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

test.for(zones)('a year in %s has the figures of SQL and of Timewarrior', async (zone, { skip }) => {
  const year = createFinishedYear(zone)
  const { home, cli, database } = await createYearHome(year)
  createPartsView(database, localDays(year.year, zone), year.now)

  process.env.TZ = zone
  const report = async (by: readonly string[]) => {
    const period = ['--since', `${year.year}`, '--until', `${year.year}`]
    const outcome = await cli.run('report', ...period, '--by', by.join(','), '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    return outcome.json() as ReportGroup
  }
  const days = await report(['day'])
  for (const by of [['day'], ['week', 'project'], ['weekday'], ['month', 'client', 'task']]) {
    const { groups } = by[0] === 'day' ? days : await report(by)
    for (const depth of by.keys()) {
      expect(figuresOf(groups, depth + 1)).toEqual(sumWithSql(database, by.slice(0, depth + 1)))
    }
  }

  skip(missingTimewarriorReason !== undefined, `${missingTimewarriorReason}; compared only with SQL`)
  const timewarrior = importIntoTimewarrior(join(home, 'timewarrior'), zone, year, () => ['all']).summary()
  expect(days.seconds).toBe(timewarrior.seconds)
  expect(days.groups.map(({ key, seconds }) => ({ day: key, seconds }))).toEqual(
    timewarrior.days.map(({ day, seconds }) => ({ day, seconds })),
  )
})

describe.each(['Australia/Lord_Howe', 'America/Santiago'])('a year without overlaps in %s', (zone) => {
  const year = createSeparateYear(new SeededRandom(`${seed} separate ${zone}`), zone)
  const period = ['--since', `${year.year}`, '--until', `${year.year}`]

  /** Runs `tt` on the entries of the year. */
  async function createReports() {
    const { home, cli } = await createYearHome(year)
    process.env.TZ = zone
    const json = <Value>(...argv: string[]) => cli.json<Value>(...argv, ...period)
    const report = (by: string) => json<ReportGroup>('report', '--by', by)
    return { home, json, report }
  }

  /** Returns the exact figures of each project and day, by "client:project day". */
  const byProjectAndDay = ({ groups }: ReportGroup) =>
    new Map(
      groups.flatMap((client) =>
        client.groups.flatMap((project) =>
          project.groups.map((day): [string, ReportGroup] => [
            `${client.key ?? 'none'}:${project.key} ${day.key}`,
            day,
          ]),
        ),
      ),
    )

  test('has the totals of hledger for each project and day', async ({ skip }) => {
    skip(missingHledgerReason !== undefined, missingHledgerReason)
    const { home, json, report } = await createReports()
    const days = new Map(localDays(year.year, zone).map(({ day, from, to }) => [day, to - from]))
    const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
    // hledger calculates with wall times, so that days on which the clocks change cannot be compared.
    const isComparable = (day = '') => days.get(day) === 86_400
    const entries = await json<LoggedEntry[]>('log')
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

    const expected = [...byProjectAndDay(await report('client,project,day'))].filter(([key]) =>
      isComparable(key.split(' ').at(-1)),
    )
    expect(new Map(ledger.map(({ account, day, sessions }) => [`${account} ${day}`, sessions]))).toEqual(
      new Map(expected.map(([key, { count }]) => [key, count])),
    )
    const found = new Map(expected)
    for (const { account, day, hours, toleranceHours } of ledger) {
      const exact = (found.get(`${account} ${day}`)?.seconds ?? 0) / 3600
      expect(Math.abs(hours - exact)).toBeLessThanOrEqual(toleranceHours + 1e-9)
    }
  })

  test('has the totals of Timewarrior for each project and day', async ({ skip }) => {
    skip(missingTimewarriorReason !== undefined, missingTimewarriorReason)
    const { home, report } = await createReports()
    const projects = taskPaths.map((path) => ['none', ...path.split('/')].slice(-3, -1).join(':'))
    const timewarrior = importIntoTimewarrior(join(home, 'timewarrior'), zone, year, ({ place }) => [
      projects[place] ?? '',
    ])
    const expected = [...new Set(projects)].flatMap((project) =>
      timewarrior
        .summary(project)
        .days.map(({ day, seconds }): [string, number] => [`${project} ${day}`, seconds]),
    )
    const found = [...byProjectAndDay(await report('client,project,day'))]
    expect(new Map(found.map(([key, { seconds }]) => [key, seconds]))).toEqual(new Map(expected))
  })
})

interface LoggedEntry {
  client: string | null
  project: string
  time_start: string
  time_end: string
}
