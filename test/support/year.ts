import type { SeededRandom } from './seeded-random.js'
import type { StoredEntry } from './stored-entries.js'
import type { TestCli } from './test-cli.js'

/** Task paths of the entries: projects and tasks share names, and one project has no client. */
export const taskPaths = [
  'Acme/Website/Design',
  'Acme/Website/Review',
  'Acme/Shop/Design',
  'Globex/Website/Design',
  'Globex/App/Build',
  'Internal/Support',
] as const

/** Adds the tasks of `taskPaths` in their order, without entries. */
export async function addTasks({ json }: TestCli): Promise<void> {
  for (const place of taskPaths) {
    await json('start', place, '--create')
    await json('cancel', '--yes')
  }
}

/** The tags in sample notes; some notes have surrounding spaces. */
export const tagsByNotes: ReadonlyMap<string, readonly string[]> = new Map([
  ...['', '  ', 'Plan', 'Plan ', 'plan', 'naïve — 設計', `"it's" \\ done`, 'a, b; c|d', 'Ticket #123'].map(
    (text): [string, string[]] => [text, []],
  ),
  ['New #logo for the #relaunch', ['logo', 'relaunch']],
  ['#Logo, again #LOGO', ['logo']],
  ['#設計 (#relaunch)', ['設計', 'relaunch']],
])
const notes = [...tagsByNotes.keys()]

/** An entry in epoch seconds; the end of a running one is null. */
export interface TrackedEntry {
  from: number
  to: number | null
  /** Index in `taskPaths`. */
  place: number
  notes: string
}

export interface TrackedYear {
  year: number
  /** The time of the report in epoch seconds: the evening of the last day. */
  now: number
  entries: TrackedEntry[]
}

const [minute, hour, day] = [60, 3600, 86_400]
const utc = (...date: [number, number, number, number, number?]) => Date.UTC(...date) / 1000

/**
 * Creates a random year of entries: seconds to days and some of 8 to 40 days long, at any time of the day, some
 * overlapping, two that start in the previous year, a running one, some around both clock changes in Berlin, and some
 * that start or end at midnight in the zone or a second before or after it.
 */
export function createRandomYear(random: SeededRandom, zone: string): TrackedYear {
  const year = random.between(2019, 2025)
  const midnights = localDays(year, zone).map(({ from }) => from)
  const now = utc(year, 11, 31, 17)
  const entries: TrackedEntry[] = []
  const add = (from: number, to: number | null) =>
    entries.push({ from, to, place: random.between(0, taskPaths.length - 1), notes: random.pick(notes) })

  add(utc(year - 1, 11, 31, 20), utc(year, 0, 1, 3))
  const addLong = (from: number) => add(from, from + random.between(8 * day, 40 * day))
  addLong(utc(year, 0, 1, 0) - random.between(hour, 7 * day))
  for (let count = 0; count < 4; count++) addLong(random.between(utc(year, 0, 2, 0), now - 40 * day))
  for (const [month, sunday] of [
    [2, lastSunday(year, 2)],
    [9, lastSunday(year, 9)],
  ] as const) {
    // In the night of the change and the next one; around the change; before and after it within the repeated hour.
    add(utc(year, month, sunday - 1, 21), utc(year, month, sunday, 5))
    add(utc(year, month, sunday, 20), utc(year, month, sunday + 1, 5))
    add(utc(year, month, sunday, 22, 15), utc(year, month, sunday, 22, 45))
    add(utc(year, month, sunday, 0, 30), utc(year, month, sunday, 1, 30))
    add(utc(year, month, sunday, 0, 10), utc(year, month, sunday, 0, 50))
    add(utc(year, month, sunday, 1, 10), utc(year, month, sunday, 1, 50))
  }
  for (let count = 0; count < 20; count++) {
    const nearMidnight = random.pick(midnights) + random.between(-1, 1)
    const length = random.between(1, day)
    if (random.chance(0.5)) add(nearMidnight - length, nearMidnight)
    else if (nearMidnight + length < now) add(nearMidnight, nearMidnight + length)
  }
  for (let from = utc(year, 0, 1, 2); ; from += random.between(-hour, 13 * hour)) {
    from += random.between(0, hour)
    const length = {
      short: () => random.between(1, 10 * minute),
      usual: () => random.between(10 * minute, 4 * hour),
      long: () => random.between(4 * hour, 14 * hour),
      days: () => random.between(day, 3 * day),
    }[random.weighted({ short: 20, usual: 60, long: 18, days: 2 })]()
    if (from + length > now) break
    add(from, from + length)
  }
  add(now - random.between(10 * minute, 40 * hour), null)
  return { year, now, entries }
}

/**
 * Creates a random year of entries without overlaps and without a running one: seconds to 40 days long, also one across
 * each end of the year, and some that end at midnight in the zone or a second before or after it.
 */
export function createSeparateYear(random: SeededRandom, zone: string): TrackedYear {
  const year = random.between(2019, 2025)
  const midnights = localDays(year, zone).map(({ from }) => from)
  const entries: TrackedEntry[] = []
  let from = utc(year - 1, 11, 20, 0)
  while (from < utc(year + 1, 0, 4, 0)) {
    const length = {
      short: () => random.between(1, 10 * minute),
      usual: () => random.between(10 * minute, 4 * hour),
      night: () => random.between(4 * hour, 14 * hour),
      weeks: () => random.between(8 * day, 40 * day),
    }[random.weighted({ short: 20, usual: 67, night: 12, weeks: 1 })]()
    const place = random.between(0, taskPaths.length - 1)
    const end = from + length
    const midnight = random.chance(0.05) && midnights.find((one) => one > end && one <= end + day)
    const to = midnight ? midnight + random.between(-1, 1) : end
    entries.push({ from, to, place, notes: random.pick(notes) })
    from = to + (random.chance(0.3) ? 0 : random.between(1, 12 * hour))
  }
  return { year, now: from, entries }
}

function lastSunday(year: number, month: number): number {
  const last = new Date(Date.UTC(year, month + 1, 0))
  return last.getUTCDate() - last.getUTCDay()
}

/** Returns the entries of a year to store in a workspace to which `taskPaths` were added in their order. */
export const storedEntriesOf = ({ entries }: TrackedYear): StoredEntry[] =>
  entries.map(({ from, to, notes, place }) => ({
    startMs: from * 1000,
    lengthMs: to === null ? null : (to - from) * 1000,
    notes: notes || null,
    link: place,
  }))

/** A calendar day in a time zone, in epoch seconds. */
export interface LocalDay {
  day: string
  from: number
  to: number
}

/** Returns the days of the year with their bounds in a time zone, computed only with the time zone data of the runtime. */
export function localDays(year: number, zone: string): LocalDay[] {
  const dateFormat = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  const dayAt = (second: number) => dateFormat.format(second * 1000)
  const starts: { day: string; from: number }[] = []
  // Quarter-hour steps find every bound: all current zones change their clocks at one.
  let previous = ''
  for (let second = utc(year - 1, 11, 30, 0); second <= utc(year + 1, 0, 3, 0); second += 15 * minute) {
    const day = dayAt(second)
    if (day !== previous) starts.push({ day, from: second })
    previous = day
  }
  return starts.flatMap(({ day, from }, index) => {
    const next = starts[index + 1]
    return next && day.startsWith(`${year}-`) ? [{ day, from, to: next.from }] : []
  })
}
