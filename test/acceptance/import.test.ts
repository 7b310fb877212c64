import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory, tt, ttJson } from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { share } from '../support/share.js'
import { importIntoTimewarrior, missingTimewarriorReason } from '../support/timewarrior.js'
import { createRandomYear, createSeparateYear, type TrackedYear, taskPaths } from '../support/year.js'
import { createYearHome } from '../support/year-home.js'

const seed = chooseSeed('import')

interface LoggedEntry {
  time_start: string
  time_end: string | null
  notes: string | null
  client: string | null
  project: string
  task: string
}

test.for(share('zones of Timewarrior', ['Europe/Berlin', 'America/Santiago', 'Pacific/Kiritimati']))(
  'an import of timew export has the totals of Timewarrior by tag and day, in %s',
  async (zone, { skip }) => {
    skip(missingTimewarriorReason !== undefined, missingTimewarriorReason)
    const year = createSeparateYear(new SeededRandom(`${seed} timewarrior ${zone}`), zone)
    const home = temporaryDirectory()
    const env = { TZ: zone }
    const timewarrior = importIntoTimewarrior(join(home, 'timewarrior'), zone, year, ({ place }) => [
      `tag${place}`,
    ])
    const timew = () =>
      spawnSync('timew', ['export'], {
        env: { PATH: process.env.PATH, TIMEWARRIORDB: join(home, 'timewarrior'), TZ: zone },
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      })
    timew() // Creates the list of tags, and prints that it does.
    const file = join(home, 'timewarrior.json')
    writeFileSync(file, timew().stdout)

    const outcome = await tt(home, ['import', file, '--task', 'Acme/Website/Design', '--yes'], env)
    expect(outcome).toMatchObject({ status: 0 })
    for (const place of taskPaths.keys()) {
      const tag = `tag${place}`
      const report = ['report', '--by', 'day', '--since', `${year.year}`, '--until', `${year.year}`]
      const { stdout } = await tt(home, [...report, '--tag', tag, '--json'], env)
      const { groups } = JSON.parse(stdout) as { groups: { key: string; seconds: number }[] }
      expect(groups.map(({ key, seconds }) => [key, seconds])).toEqual(
        timewarrior.summary(tag).days.map(({ day, seconds }) => [day, seconds]),
      )
    }
  },
)

test.for(['json', 'csv'])('an export as %s restores the same entries', async (format) => {
  const year = createRandomYear(new SeededRandom(`${seed} ${format}`), 'Europe/Berlin')
  const { home } = await createYearHome(year)
  const file = join(home, `entries.${format}`)
  expect(await tt(home, ['export', '--format', format, '--output', file])).toMatchObject({ status: 0 })
  const copy = temporaryDirectory()
  expect(await tt(copy, ['import', file, '--yes'])).toMatchObject({ status: 0 })
  // An entry of another day without an end is skipped: `--end-open` decides about it.
  const expected = (await entriesOf(home, year)).map(text).filter((line) => JSON.parse(line)[1] !== null)
  expect((await entriesOf(copy, year)).map(text)).toEqual(expected)

  const again = await tt(copy, ['import', file, '--yes', '--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ files: [{ result: { created: 0 } }] })
  expect(await entriesOf(copy, year)).toHaveLength(expected.length)
})

const entriesOf = (home: string, year: TrackedYear) =>
  ttJson<LoggedEntry[]>(home, 'log', '--since', `${year.year - 1}`, '--until', `${year.year + 1}`)

const text = ({ time_start, time_end, notes, client, project, task }: LoggedEntry) =>
  JSON.stringify([time_start, time_end, notes ?? '', client, project, task])
