import { dayOf, timeOnDay } from '../../lib/calendar/day.js'
import type { SourceEntry } from '../import/format.js'

/**
 * What happens with entries without an end: `skip` imports none; otherwise they end at a time of their day, in minutes after
 * midnight, or after a duration, but not after now.
 */
export type OpenEnd = 'skip' | { untilMinutes: number } | { seconds: number }

/** Why entries without an end are not imported, in the plural. */
export const openReasons = {
  chosen: 'entries without an end',
  /** Their end is unknown. */
  earlier: 'entries without an end that are not of today',
  /** There is only one running timer. */
  further: 'further entries without an end',
  late: 'entries without an end that begin after the chosen one',
} as const

/**
 * Decides which entries without an end are imported. Without a decision of the user, the last one of today becomes the
 * running timer.
 */
export class OpenEntries {
  readonly #openEnd: OpenEnd | undefined
  readonly #now: Date
  #timer: SourceEntry | undefined

  constructor(openEnd: OpenEnd | undefined, now: Date) {
    this.#openEnd = openEnd
    this.#now = now
  }

  /** The entry that becomes the running timer, after all entries were decided. */
  get timer(): SourceEntry | undefined {
    return this.#timer
  }

  /** Returns the entry with its end, or why an entry is not imported; undefined for the running timer. */
  decide(entry: SourceEntry): SourceEntry | string | undefined {
    if (this.#openEnd === undefined) return this.#asTimer(entry)
    if (this.#openEnd === 'skip') return openReasons.chosen
    const end = endOf(entry.start, this.#openEnd)
    if (end <= entry.start) return openReasons.late
    return { ...entry, end: end > this.#now ? this.#now : end }
  }

  #asTimer(entry: SourceEntry): string | undefined {
    if (dayOf(entry.start) !== dayOf(this.#now) || entry.start > this.#now) return openReasons.earlier
    const earlier = this.#timer
    if (!earlier || entry.start >= earlier.start) this.#timer = entry
    return earlier ? openReasons.further : undefined
  }
}

function endOf(start: Date, openEnd: Exclude<OpenEnd, 'skip'>): Date {
  if ('seconds' in openEnd) return new Date(start.getTime() + openEnd.seconds * 1000)
  return timeOnDay(dayOf(start), openEnd.untilMinutes)
}
