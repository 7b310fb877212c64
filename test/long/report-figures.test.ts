import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createYearCli, runYearReport as report, year, zone } from '../command/year-fixtures.js'
import { figuresOf, groupsAt, roundWithSql, sumWithSql } from '../support/report-figures.js'
import { importIntoTimewarrior, missingTimewarriorReason, type SummaryDay } from '../support/timewarrior.js'
import { localDays, taskPaths } from '../support/year.js'

describe('the figures of a year equal those of independent SQL queries', () => {
  test.each([
    ...['day', 'week', 'month', 'quarter', 'year', 'weekday', 'client', 'project', 'task', 'notes'],
    ...['month,client,task', 'project,weekday', 'notes,week,project'],
  ])('by %s', async (keys) => {
    const by = keys.split(',')
    const { cli, database } = await createYearCli()
    const { groups, seconds, count } = await report(cli, by)
    expect({ seconds, count }).toEqual(sumWithSql(database, ['year']).get(`["${year.year}"]`))
    for (const depth of by.keys()) {
      expect(figuresOf(groups, depth + 1)).toEqual(sumWithSql(database, by.slice(0, depth + 1)))
    }
  })

  test('by week with Sunday as the first day', async () => {
    const { cli, database } = await createYearCli()
    await cli.json('config', 'set', 'week_start', 'sunday')
    const { groups } = await report(cli, ['week'])
    const mondays = [...sumWithSql(database, ['day'])]
    const sundays = new Map<string, number>()
    for (const [keys, { seconds }] of mondays) {
      const [day] = JSON.parse(keys) as [string]
      const date = new Date(day)
      date.setUTCDate(date.getUTCDate() - date.getUTCDay())
      const sunday = date.toISOString().slice(0, 10)
      sundays.set(sunday, (sundays.get(sunday) ?? 0) + seconds)
    }
    expect(new Map(groups.map(({ key, seconds }) => [key, seconds]))).toEqual(sundays)
  })
})

describe('the rounded figures equal those of SQL', () => {
  test.each([
    ['15m', 900, 'nearest'],
    ['6m:up', 360, 'up'],
    ['1h:down', 3600, 'down'],
    ['7s:nearest', 7, 'nearest'],
  ] as const)('--round %s', async (round, step, direction) => {
    const { cli, database } = await createYearCli()
    // The rounded time of a part is the rounded entry up to its end, minus the rounded entry up to its start.
    const upTo = (end: string) => roundWithSql(`${end} - entry_from`, step, direction)
    const expected = (by: string[]) => sumWithSql(database, by, `${upTo('part_to')} - ${upTo('part_from')}`)
    for (const by of [['day'], ['project'], ['month', 'task']]) {
      const { groups, rounded_seconds } = await report(cli, by, '--round', round)
      const found = groupsAt(groups, by.length).map(([keys, group]) => [keys, group.rounded_seconds])
      const expectedRows = [...expected(by)].map(([keys, { seconds }]) => [keys, seconds])
      expect(new Map(found as [string, number][])).toEqual(new Map(expectedRows as [string, number][]))
      expect(rounded_seconds).toBe(expected(['year']).get(`["${year.year}"]`)?.seconds)
    }
  })

  test('an entry that began before the year has its rounded duration less what is rounded before the year', async () => {
    const { cli, database } = await createYearCli()
    const { rounded_seconds } = await report(cli, ['project'], '--round', '15m')
    const start = localDays(year.year, zone)[0]?.from
    const upTo = (moment: string) => roundWithSql(`${moment} - time_start / 1000`, 900, 'nearest')
    const rounded = `${upTo(`coalesce(time_end / 1000, ${year.now})`)} - ${upTo(`max(time_start / 1000, ${start})`)}`
    const { seconds } = database.prepare(`select sum(${rounded}) as seconds from time_entries`).get() as {
      seconds: number
    }
    expect(rounded_seconds).toBe(seconds)
  })

  test('--round-total rounds the sums of the innermost groups', async () => {
    const { cli, database } = await createYearCli()
    const { groups, rounded_seconds } = await report(cli, ['month', 'project'], '--round-total', '15m:up')
    const expected = new Map(
      [...sumWithSql(database, ['month', 'project'])].map(([keys, { seconds }]) => [
        keys,
        Math.ceil(seconds / 900) * 900,
      ]),
    )
    expect(new Map(groupsAt(groups, 2).map(([keys, group]) => [keys, group.rounded_seconds]))).toEqual(
      expected,
    )
    expect(rounded_seconds).toBe([...expected.values()].reduce((sum, seconds) => sum + seconds))
  })
})

test('the figures of a year equal those of Timewarrior', async ({ skip }) => {
  skip(missingTimewarriorReason !== undefined, missingTimewarriorReason)
  const { cli } = await createYearCli()
  const directory = mkdtempSync(join(tmpdir(), 'tt-timew-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const kinds = ['client', 'project', 'task'] as const
  const tagsOf = (place: number) => {
    const path = (taskPaths[place] ?? '').split('/')
    const named = path.length === 3 ? path : ['none', ...path]
    // Projects of different clients with the same name are different.
    return kinds.map(
      (kind, index) => `${kind}=${kind === 'project' ? named.slice(0, 2).join(' ') : named[index]}`,
    )
  }
  const timewarrior = importIntoTimewarrior(directory, zone, year, ({ place, notes }) => [
    ...tagsOf(place),
    ...(notes.trim() ? [`notes=${Buffer.from(notes.trim()).toString('hex')}`] : []),
  ])

  const { days, seconds } = timewarrior.summary()
  const sums = async (by: string) => (await report(cli, [by])).groups
  expect((await report(cli, ['day'])).seconds).toBe(seconds)
  expect((await sums('day')).map(({ key, seconds }) => ({ day: key, seconds }))).toEqual(
    days.map(({ day, seconds }) => ({ day, seconds })),
  )
  const inOrder = async (by: string) => (await sums(by)).map(({ seconds }) => seconds)
  expect(await inOrder('week')).toEqual(sumAdjacent(days, ({ week }) => week))
  expect(await inOrder('month')).toEqual(sumAdjacent(days, ({ day }) => day.slice(0, 7)))
  const weekdays = days.toSorted((a, b) => (a.weekday < b.weekday ? -1 : 1))
  const named = (await sums('weekday')).toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1))
  expect(named.map(({ seconds }) => seconds)).toEqual(sumAdjacent(weekdays, ({ weekday }) => weekday))

  const byNames = await report(cli, ['client', 'project'])
  for (const client of byNames.groups) {
    expect(timewarrior.summary(`client=${client.key ?? 'none'}`).seconds).toBe(client.seconds)
    for (const project of client.groups) {
      expect(timewarrior.summary(`project=${client.key ?? 'none'} ${project.key}`).seconds).toBe(
        project.seconds,
      )
    }
  }
  for (const { key, seconds } of await sums('task')) {
    expect(timewarrior.summary(`task=${key}`).seconds).toBe(seconds)
  }
  for (const { key, seconds } of await sums('notes')) {
    if (key !== null)
      expect(timewarrior.summary(`notes=${Buffer.from(key).toString('hex')}`).seconds).toBe(seconds)
  }
})

/** Returns the sums of adjacent days with the same name. */
function sumAdjacent(days: readonly SummaryDay[], nameOf: (day: SummaryDay) => string): number[] {
  const sums: number[] = []
  for (const [index, day] of days.entries()) {
    const before = days[index - 1]
    if (!before || nameOf(before) !== nameOf(day)) sums.push(0)
    sums.push((sums.pop() ?? 0) + day.seconds)
  }
  return sums
}
