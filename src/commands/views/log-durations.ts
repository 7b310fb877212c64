import { type Day, dayOf } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { type Interval, splitAtMidnight } from '../../lib/calendar/interval.js'
import type { Entry } from '../../tracking/entries/entry.js'

/** The part of an entry on a day, in whole seconds. */
interface DayPart {
  id: string
  day: Day
  seconds: number
  /** Whether the entry began on an earlier day. */
  isLater: boolean
}

/** An entry with its part in the period of a log. */
type TimedEntry = Pick<Entry, 'id' | 'start'> & { part: Interval }

/**
 * The durations of a log as they are displayed, in seconds: those of entries add up to their days, and those of days to
 * the total. An entry across midnight counts on each day with its part of it.
 */
export class LogDurations {
  readonly total: number
  readonly #days = new Map<Day, number>()
  readonly #parts = new Map<string, number>()
  readonly #sinceEarlierDay = new Map<Day, number>()

  constructor(entries: readonly TimedEntry[], display: DurationDisplay) {
    const byDay = groupByDay(entries.flatMap(dayParts))
    const days = [...byDay.values()]
    const sums = days.map(sumOf)
    this.total = display.rounded(sums.reduce((sum, seconds) => sum + seconds, 0))
    const displayedSums = display.parts(sums, this.total)
    for (const [index, day] of [...byDay.keys()].entries()) this.#days.set(day, displayedSums[index] ?? 0)
    for (const [index, parts] of days.entries()) {
      const seconds = parts.map((part) => part.seconds)
      const displayed = display.parts(seconds, displayedSums[index])
      for (const [position, { id, day, isLater }] of parts.entries()) {
        const seconds = displayed[position] ?? 0
        this.#parts.set(id, this.ofPart({ id }) + seconds)
        if (isLater) this.#sinceEarlierDay.set(day, this.sinceEarlierDay(day) + seconds)
      }
    }
  }

  /** Returns the total of a day; undefined without a part of an entry on it. */
  ofDay(day: Day): number | undefined {
    return this.#days.get(day)
  }

  /** Returns the part of the total of a day that belongs to entries which began on an earlier day. */
  sinceEarlierDay(day: Day): number {
    return this.#sinceEarlierDay.get(day) ?? 0
  }

  /** Returns the duration of the part of an entry in the period. */
  ofPart({ id }: Pick<Entry, 'id'>): number {
    return this.#parts.get(String(id)) ?? 0
  }
}

/** Cuts an entry at midnight. Its seconds are counted from its start, so that those of its parts add up. */
function dayParts({ id, start: entryStart, part }: TimedEntry): DayPart[] {
  if (part.end <= part.start) return []
  const secondsTo = (time: Date) => Math.floor((time.getTime() - part.start.getTime()) / 1000)
  const firstDay = dayOf(entryStart)
  return [...splitAtMidnight(part)].map(({ day, start, end }) => ({
    id: String(id),
    day,
    seconds: secondsTo(end) - secondsTo(start),
    isLater: day > firstDay,
  }))
}

function groupByDay(parts: readonly DayPart[]): Map<Day, DayPart[]> {
  const days = new Map<Day, DayPart[]>()
  for (const part of parts) {
    const day = days.get(part.day)
    if (day) day.push(part)
    else days.set(part.day, [part])
  }
  return days
}

function sumOf(parts: readonly DayPart[]): number {
  return parts.reduce((sum, { seconds }) => sum + seconds, 0)
}
