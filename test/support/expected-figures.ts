import { type DayFigures, figuresByDay, type StepRounding, type ThousandthsRate } from './entry-amounts.js'
import { type LocalDay, type TrackedYear, tagsByNotes, taskPaths } from './year.js'

/** The part of an entry in one day, with its groups. */
export interface ExpectedPart extends DayFigures {
  /** The index of the entry. */
  entry: number
  rate: ThousandthsRate | undefined
  /** The keys of the part for each dimension; several for tags. */
  keys: Readonly<Record<string, readonly (string | null)[]>>
}

export interface ExpectedFigure {
  seconds: number
  rounded: number
  count: number
  /** In the smallest unit, by currency. */
  amounts: Record<string, bigint>
}

export const calendarDimensions = ['day', 'week', 'month', 'quarter', 'year', 'weekday']
export const dimensions = [...calendarDimensions, 'client', 'project', 'task', 'tag', 'notes']

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Returns the keys of a day in the dimensions of the calendar. */
export function calendarKeys(day: string, weekStart: 'monday' | 'sunday' = 'monday'): Record<string, string> {
  const date = new Date(day)
  const number = date.getUTCDay()
  date.setUTCDate(date.getUTCDate() - (weekStart === 'sunday' ? number : (number + 6) % 7))
  return {
    day,
    week: date.toISOString().slice(0, 10),
    month: day.slice(0, 7),
    quarter: `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`,
    year: day.slice(0, 4),
    weekday: weekdays[number] ?? '',
  }
}

/**
 * Splits the entries of a year into the parts of days, without the code of the program.
 *
 * @param rateOf returns the rate of a task path; undefined for time that is not billable
 */
export function expectedParts(
  { entries, now }: TrackedYear,
  days: readonly LocalDay[],
  options: {
    rateOf?: (path: string) => ThousandthsRate | undefined
    rounding?: StepRounding | undefined
    weekStart?: 'monday' | 'sunday'
  } = {},
): ExpectedPart[] {
  const { rateOf, rounding, weekStart } = options
  return entries.flatMap((entry, index) => {
    const path = taskPaths[entry.place] ?? taskPaths[0]
    const [task = '', project = '', client = null] = path.split('/').reverse()
    const tags = tagsByNotes.get(entry.notes) ?? []
    const rate = rateOf?.(path)
    return figuresByDay(entry, rate, rounding, days, now).map((figures): ExpectedPart => {
      const ofCalendar = Object.entries(calendarKeys(figures.day, weekStart))
      return {
        ...figures,
        entry: index,
        rate,
        keys: {
          ...Object.fromEntries(ofCalendar.map(([dimension, key]) => [dimension, [key]])),
          client: [client],
          project: [project],
          task: [task],
          tag: tags.length > 0 ? tags : [null],
          notes: [entry.notes.trim() || null],
        },
      }
    })
  })
}

/** Sums up parts by dimensions; the keys of the map are JSON lists of the keys of the groups. */
export function sumParts(parts: readonly ExpectedPart[], by: readonly string[]): Map<string, ExpectedFigure> {
  const sums = new Map<string, ExpectedFigure>()
  const lastEntries = new Map<string, number>()
  for (const { entry, seconds, roundedSeconds, amount, rate, keys } of parts) {
    const paths = by.reduce<(string | null)[][]>(
      (paths, dimension) => paths.flatMap((path) => (keys[dimension] ?? []).map((key) => [...path, key])),
      [[]],
    )
    for (const path of paths) {
      const name = JSON.stringify(path)
      const sum = sums.get(name) ?? { seconds: 0, rounded: 0, count: 0, amounts: {} }
      sum.seconds += seconds
      sum.rounded += roundedSeconds
      if (lastEntries.get(name) !== entry) sum.count++
      lastEntries.set(name, entry)
      if (rate) sum.amounts[rate.currency] = (sum.amounts[rate.currency] ?? 0n) + amount
      sums.set(name, sum)
    }
  }
  return sums
}
