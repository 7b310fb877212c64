import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import nodeIcal from 'node-ical'
import { expect, test } from 'vitest'
import { missingHledgerReason } from '../support/hledger.js'
import { createSeededHome, tt } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { share } from '../support/share.js'
import { missingTimewarriorReason } from '../support/timewarrior.js'
import {
  createRandomYear,
  createSeparateYear,
  localDays,
  type TrackedYear,
  tagsByNotes,
  taskPaths,
} from '../support/year.js'
import { createYearHome } from '../support/year-home.js'
import { missingVobjectReason, readWithVobject } from './vobject.js'

const seed = chooseSeed('export')

interface Interval {
  start: string
  end?: string
  tags?: string[]
  annotation?: string
}

// Months of Timewarrior are local: zones on both sides of UTC.
test.for(share('zones of Timewarrior', ['Europe/Berlin', 'America/Santiago', 'Pacific/Kiritimati']))(
  'timew export gives the same intervals from exported data files, in %s',
  async (zone, { skip }) => {
    skip(missingTimewarriorReason !== undefined, missingTimewarriorReason)
    const year = createRandomYear(new SeededRandom(`${seed} ${zone}`), zone)
    const { home } = await createYearHome(year)
    const directory = join(home, 'timewarrior')
    mkdirSync(directory)
    writeFileSync(join(directory, 'timewarrior.cfg'), '')

    const written = await tt(
      home,
      ['export', '--format', 'timewarrior', '--output', join(directory, 'data'), '--json'],
      { TZ: zone },
    )
    expect(written.status).toBe(0)
    const { files, overlaps } = JSON.parse(written.stdout) as Record<string, unknown>
    expect(files).toEqual(readdirSync(join(directory, 'data')).map((name) => join(directory, 'data', name)))
    expect(overlaps).toBeGreaterThan(10)

    const timew = () =>
      spawnSync('timew', ['export'], {
        env: { PATH: process.env.PATH, TIMEWARRIORDB: directory, TZ: zone },
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      })
    timew() // Creates the list of tags, and prints that it does.
    const read = JSON.parse(timew().stdout) as Interval[]
    const text = ({ start, end, tags = [], annotation = '' }: Interval) =>
      JSON.stringify([start, end, [...new Set(tags)].sort(), annotation])
    const tracked = year.entries.map(({ from, to, place, notes }) => ({
      start: basicTime(from),
      ...(to !== null && { end: basicTime(to) }),
      tags: [...(taskPaths[place]?.split('/') ?? []), ...(tagsByNotes.get(notes) ?? [])],
      annotation: notes,
    }))
    expect(read.map(text).sort()).toEqual(tracked.map(text).sort())
  },
)

function basicTime(second: number): string {
  return new Date(second * 1000).toISOString().replace(/[-:]|\.000/g, '')
}

test.for(share('zones of hledger', ['Europe/Berlin', 'Asia/Kathmandu']))(
  'hledger sums up an exported log like a report in decimal hours, in %s',
  async (zone, { skip }) => {
    skip(missingHledgerReason !== undefined, missingHledgerReason)
    const year = withoutClockChanges(
      inMultiplesOf36Seconds(createSeparateYear(new SeededRandom(`${seed} separate ${zone}`), zone)),
      zone,
    )
    const { home } = await createYearHome(year)
    const path = join(home, 'log.timeclock')
    const exported = await tt(home, ['export', '--format', 'timeclock', '--output', path], { TZ: zone })
    expect(exported).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^Exported [\d,]+ entries to [^\n]*\n$/),
    })

    const balance = spawnSync('hledger', ['--file', path, 'balance', '--flat', '--output-format', 'csv'], {
      env: { PATH: process.env.PATH, TZ: zone, LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
    })
    expect(balance).toMatchObject({ status: 0, stderr: '' })
    const hours = (parse(balance.stdout, { columns: true }) as { account: string; balance: string }[])
      .filter(({ account }) => account !== 'total')
      .map(({ account, balance }) => `${account} ${Number(balance.replace(/h$/, '')).toFixed(2)}`)

    const by = ['--by', 'client,project,task', '--hours', 'decimal', '--csv']
    const period = ['--since', `${year.year - 1}`, '--until', `${year.year + 1}`]
    const report = await tt(home, ['report', ...by, ...period], { TZ: zone })
    const reported = (parse(report.stdout, { columns: true }) as Record<string, string>[]).map(
      ({ client, project, task, duration }) =>
        `${[client, project, task].filter(Boolean).join(':')} ${Number(duration).toFixed(2)}`,
    )
    expect(reported.length).toBeGreaterThan(4)
    expect(hours.sort()).toEqual(reported.sort())
  },
)

test('node-ical and vobject read an exported calendar identically', async ({ skip }) => {
  skip(missingVobjectReason !== undefined, missingVobjectReason)
  const year = createRandomYear(new SeededRandom(`${seed} calendar`), 'Europe/Berlin')
  const { home } = await createYearHome(year)
  const { stdout } = await tt(home, ['export', '--format', 'ical'])
  const events = Object.values(nodeIcal.sync.parseICS(stdout)).filter(
    (component) => component?.type === 'VEVENT',
  ) as unknown as NodeIcalEvent[]
  const seconds = (date: Date) => date.getTime() / 1000
  const read = events.map(({ start, end, uid, summary, description = '', categories = [], status = '' }) => ({
    ...{ uid, summary, description, categories, status },
    ...{ start: seconds(start), end: seconds(end ?? start) },
  }))
  expect(readWithVobject(stdout)).toEqual(read)
  // The running entry ends at the time of the export.
  const times = read.map(({ start, end, status }) => [start, status === 'TENTATIVE' ? null : end])
  const tracked = year.entries.map(({ from, to }) => [from, to])
  expect(times.map(String).sort()).toEqual(tracked.map(String).sort())
})

interface NodeIcalEvent {
  uid: string
  start: Date
  end?: Date
  summary: string
  description?: string
  categories?: string[]
  status?: string
}

test('an export of 30,000 entries needs no more memory than a small one', async () => {
  const home = await createSeededHome(30_000)
  // 32 MB of objects: a third of what the list as a whole needs.
  const env = { NODE_OPTIONS: '--max-old-space-size=32' }
  const { status, stdout } = await tt(home, ['export', '--format', 'watson'], env)
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toHaveLength(30_000)
})

/** Moves starts and ends to multiples of 36 seconds, which are hundredths of an hour. */
function inMultiplesOf36Seconds(year: TrackedYear): TrackedYear {
  const multiple = (second: number) => second - (second % 36)
  return {
    ...year,
    entries: year.entries.map(({ from, to, ...entry }) => ({
      ...entry,
      from: multiple(from),
      to: to === null ? null : multiple(to),
    })),
  }
}

/** Omits the entries on days on which the clocks change, because hledger calculates with local times. */
function withoutClockChanges(year: TrackedYear, zone: string): TrackedYear {
  const changing = localDays(year.year, zone).filter(({ from, to }) => to - from !== 86_400)
  const isOutside = ({ from, to }: TrackedYear['entries'][number]) =>
    changing.every((day) => (to ?? from) < day.from || from > day.to)
  return { ...year, entries: year.entries.filter(isOutside) }
}
