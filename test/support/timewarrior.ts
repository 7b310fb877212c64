import { spawnSync } from 'node:child_process'
import { writeTimewarriorFiles } from './timewarrior-files.js'
import type { TrackedYear } from './year.js'

/** The reason to skip tests with Timewarrior, or undefined where it is installed. */
export const missingTimewarriorReason =
  spawnSync('timew', ['--version']).status === 0 ? undefined : 'Timewarrior (timew) is not installed'

/**
 * Imports a year into Timewarrior. The running entry ends at the time of the report, because Timewarrior would count it
 * to the real time. Overlapping entries in an imported file all count.
 *
 * @param tagsOf returns the tags of an entry
 */
export function importIntoTimewarrior(
  directory: string,
  zone: string,
  { year, now, entries }: TrackedYear,
  tagsOf: (entry: TrackedYear['entries'][number]) => string[],
) {
  const finished = entries.map((entry) => {
    const { from, to } = entry
    return { from: from * 1000, to: (to ?? now) * 1000, tags: tagsOf(entry) }
  })
  writeTimewarriorFiles(directory, finished)
  return {
    /** Runs `timew summary` for the year, optionally of one tag. */
    summary(tag?: string) {
      const argv = [
        'summary',
        // From before the first entry: Timewarrior searches backwards and stops at the first entry that ends before the
        // period, even if an earlier one reaches into it.
        `${year - 1}-12-01`,
        '-',
        `${year + 1}-01-01`,
        ...(tag === undefined ? [] : [tag]),
      ]
      const env = { PATH: process.env.PATH, TIMEWARRIORDB: directory, TZ: zone }
      const { status, stdout, stderr } = spawnSync('timew', argv, {
        env,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      })
      if (status !== 0) throw new Error(`timew ${argv.join(' ')} exited ${status}: ${stdout}${stderr}`)
      const days = read(stdout).filter(({ day }) => day.startsWith(`${year}-`))
      return { days, seconds: days.reduce((sum, { seconds }) => sum + seconds, 0) }
    },
  }
}

/** Parses the table: a day starts with its week and date, and its sum follows the times of its last line. */
function read(text: string) {
  const days: { day: string; seconds: number }[] = []
  let current: string | undefined
  for (const line of text.split('\n')) {
    const [, day] = /^W\d+ +(\d{4}-\d\d-\d\d) \w{3} /.exec(line) ?? []
    current = day ?? current
    const [, sum] = /(?: +\d+:\d\d:\d\d){3} +(\d+:\d\d:\d\d)$/.exec(line) ?? []
    if (sum && current) days.push({ day: current, seconds: inSeconds(sum) })
  }
  return days
}

function inSeconds(clock: string): number {
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
