import { type Day, timeOnDay } from '../../../lib/calendar/day.js'
import type { Interval } from '../../../lib/calendar/interval.js'
import { pad } from '../../../lib/calendar/wall-time.js'

/**
 * Places entries without a time of day one after another from the start of the working hours, in the order of the file.
 * A day with more hours than remain reaches into the next one.
 */
export class Placement {
  readonly #workStartMinutes: number
  readonly #nextStartMs = new Map<string, number>()

  constructor(workStartMinutes: number) {
    this.#workStartMinutes = workStartMinutes
  }

  /**
   * Returns the start and end of the next entry on a day, outside the intervals in `occupied`.
   *
   * @param person keeps the entries of several users apart
   */
  place(day: Day, seconds: number, occupied: readonly Interval[] = [], person = ''): Interval {
    const key = `${day} ${person}`
    let startMs = this.#nextStartMs.get(key) ?? timeOnDay(day, this.#workStartMinutes).getTime()
    const lengthMs = seconds * 1000
    for (const { start, end } of occupied.toSorted((a, b) => a.start.getTime() - b.start.getTime())) {
      if (start.getTime() < startMs + lengthMs && end.getTime() > startMs) startMs = end.getTime()
    }
    this.#nextStartMs.set(key, startMs + lengthMs)
    return { start: new Date(startMs), end: new Date(startMs + lengthMs) }
  }
}

/** Returns the note about placed entries, for the user. */
export function placementNote(workStartMinutes: number): string {
  const clock = `${pad(Math.floor(workStartMinutes / 60))}:${pad(workStartMinutes % 60)}`
  return `Entries without a time of day are placed one after another from ${clock}.`
}
