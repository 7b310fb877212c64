import { type Day, type DayBounds, dayAround } from '../lib/calendar/day.js'
import type { TimeRange } from '../lib/calendar/interval.js'
import { type Rounding, roundSeconds } from '../lib/calendar/rounding.js'
import { apportion } from '../lib/decimals.js'
import type { Entry } from '../tracking/entries/entry.js'
import { amountOf, type Rate } from './rates.js'

/** The terms on which an entry is billed. */
export interface BillingTerms {
  isBillable: boolean
  /** undefined without a rate, and for time that is not billable. */
  rate: Rate | undefined
  /** The rounding of the entry; undefined for that of all entries, if there is one. */
  rounding?: Rounding | undefined
}

/** The bounds are those of the period of the report, each the start of a day. */
export interface SplitOptions extends TimeRange {
  /** The time of the report: a running entry counts up to it. */
  now: Date
  /** The rounding of each entry without one of its own. */
  rounding?: Rounding | undefined
}

/** The part of an entry in one day, or in the whole period. */
export interface EntryPart {
  /** The day; empty for the part in the whole period. */
  day: Day
  seconds: number
  roundedSeconds: number
  /** In the smallest unit of the currency of the rate; 0 without a rate. */
  amount: bigint
}

/**
 * Splits entries at midnight and at the bounds of a period, in the user's time zone.
 *
 * The rounded duration and the amount belong to the whole entry, however a report splits it. Each part gets the rounded
 * duration from the start of the entry up to the end of the part, less the one up to its start. The amount, rate times
 * rounded duration, is distributed over the days of the entry by largest remainder. So the parts add up in every report:
 * days to a month, months to a quarter.
 */
export class EntrySplitter {
  readonly #options: SplitOptions
  #day: DayBounds | undefined

  constructor(options: SplitOptions) {
    this.#options = options
  }

  /** Returns the parts within the period: one for each day if `byDay`, otherwise one; none for an entry outside it. */
  partsOf(entry: Entry, terms: Omit<BillingTerms, 'isBillable'>, byDay: boolean): EntryPart[] {
    const { start, end, now } = this.#options
    const startMs = entry.start.getTime()
    const endMs = Math.max(startMs, (entry.end ?? now).getTime())
    const fromMs = Math.max(startMs, start?.getTime() ?? startMs)
    const toMs = Math.min(endMs, end?.getTime() ?? endMs)
    // An entry without duration belongs to the day of its start.
    const isOutside = fromMs > toMs || (fromMs === toMs && (startMs < endMs || toMs === end?.getTime()))
    if (isOutside) return []
    const isWhole = fromMs === startMs && toMs === endMs
    const firstDay = byDay || !isWhole ? this.#dayAround(startMs) : undefined
    if (firstDay === undefined || (isWhole && endMs <= firstDay.toMs))
      return [this.#wholePart(byDay && firstDay ? firstDay.day : '', endMs - startMs, terms)]
    const days = this.#partsByDay(startMs, endMs, terms)
    const parts = days.filter(({ start, end }) => end > fromMs && start < toMs)
    return byDay ? parts.map(({ part }) => part) : [combine(parts.map(({ part }) => part))]
  }

  #wholePart(day: Day, durationMs: number, { rate, rounding }: Omit<BillingTerms, 'isBillable'>): EntryPart {
    const seconds = Math.floor(durationMs / 1000)
    const roundedSeconds = this.#rounded(seconds, rounding)
    return { day, seconds, roundedSeconds, amount: rate ? amountOf(rate, roundedSeconds) : 0n }
  }

  #partsByDay(
    startMs: number,
    endMs: number,
    { rate, rounding }: Omit<BillingTerms, 'isBillable'>,
  ): { start: number; end: number; part: EntryPart }[] {
    const days: { start: number; end: number; part: EntryPart }[] = []
    let [secondsBefore, roundedBefore] = [0, 0]
    for (let start = startMs; ; ) {
      const { day, toMs } = this.#dayAround(start)
      const end = Math.min(toMs, endMs)
      const seconds = Math.floor((end - startMs) / 1000)
      const rounded = this.#rounded(seconds, rounding)
      const part = {
        day,
        seconds: seconds - secondsBefore,
        roundedSeconds: rounded - roundedBefore,
        amount: 0n,
      }
      days.push({ start, end, part })
      ;[secondsBefore, roundedBefore] = [seconds, rounded]
      if (end >= endMs) break
      start = end
    }
    if (rate) distributeAmount(rate, days)
    return days
  }

  #rounded(seconds: number, rounding = this.#options.rounding): number {
    return rounding ? roundSeconds(seconds, rounding) : seconds
  }

  /** Most entries are on the same day as the previous one. */
  #dayAround(ms: number): DayBounds {
    const known = this.#day
    if (known && known.fromMs <= ms && ms < known.toMs) return known
    this.#day = dayAround(ms)
    return this.#day
  }
}

/** Distributes the amount of an entry over its days, in proportion to their rounded durations. */
function distributeAmount(rate: Rate, days: readonly { part: EntryPart }[]) {
  const weights = days.map(({ part }) => part.roundedSeconds)
  const total = weights.reduce((sum, seconds) => sum + seconds, 0)
  if (total === 0) return
  const amount = amountOf(rate, total)
  const numerators = weights.map((seconds) => amount * BigInt(seconds))
  const amounts = apportion(amount, numerators, BigInt(total))
  for (const [index, { part }] of days.entries()) part.amount = amounts[index] ?? 0n
}

function combine(parts: readonly EntryPart[]): EntryPart {
  const sum: EntryPart = { day: '', seconds: 0, roundedSeconds: 0, amount: 0n }
  for (const { seconds, roundedSeconds, amount } of parts) {
    sum.seconds += seconds
    sum.roundedSeconds += roundedSeconds
    sum.amount += amount
  }
  return sum
}
