import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tt } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { missingTimewarriorReason } from '../support/timewarrior.js'
import { createRandomYear, tagsByNotes, taskPaths } from '../support/year.js'
import { createYearHome } from '../support/year-home.js'

const seed = chooseSeed('export')

interface Interval {
  start: string
  end?: string
  tags?: string[]
  annotation?: string
}

// Months of Timewarrior are local: zones on both sides of UTC.
test.for(['Europe/Berlin', 'America/Santiago', 'Pacific/Kiritimati'])(
  'timew export gives the same intervals from exported data files, in %s',
  async (zone, { skip }) => {
    skip(missingTimewarriorReason !== undefined, missingTimewarriorReason)
    const year = createRandomYear(new SeededRandom(`${seed} ${zone}`))
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
