import ICAL from 'ical.js'

export default ICAL

/** Upper bound for the time that the dates of one file take, in milliseconds of the processor. */
const limitMs = 3000

/** How often the time is read. */
const stepsBetween = 128

/** Upper bound for the steps to compute the changes of a time zone, which are all in memory: one a day for 60 years. */
const maxZoneSteps = 100_000

/** Larger ones occur once in a century, and let the library count for hours. */
const maxInterval = 100_000

/**
 * A limit for the dates of repeated events and time zones in one file. The library computes them in loops without end, such
 * as for the 30th of February; a few lines of a calendar would occupy the program for hours.
 */
export class RecurrenceLimit {
  static #active: RecurrenceLimit | undefined
  #usedMs = 0
  #startedAt = 0
  #steps = 0
  #lastStep = Number.POSITIVE_INFINITY

  /** Counts a step of the library. Throws Error if the time is over. */
  static countStep() {
    RecurrenceLimit.#active?.countStep()
  }

  /** Runs `work`, which throws Error when the time of the file is over. */
  run<Result>(work: () => Result): Result {
    const outer = RecurrenceLimit.#active
    RecurrenceLimit.#active = this
    this.#startedAt = processorMs()
    try {
      return work()
    } finally {
      this.#usedMs += processorMs() - this.#startedAt
      RecurrenceLimit.#active = outer
    }
  }

  /** Runs `work` of the active file, which throws Error after this number of steps. */
  static runSteps<Result>(count: number, work: () => Result): Result {
    const limit = RecurrenceLimit.#active
    if (!limit) return work()
    limit.#lastStep = limit.#steps + count
    try {
      return work()
    } finally {
      limit.#lastStep = Number.POSITIVE_INFINITY
    }
  }

  countStep() {
    this.#steps += 1
    if (this.#steps > this.#lastStep) throw new Error('the time zone changes too often')
    if (this.#steps % stepsBetween !== 0) return
    if (this.#usedMs + processorMs() - this.#startedAt > limitMs)
      throw new Error('the repetitions of this file take too long to compute')
  }
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Upper bound for durations: a thousand years. The library counts their months one at a time. */
const maxDays = 365_250

type Method = (this: unknown, ...values: unknown[]) => unknown

// Every loop of the library calls one of these methods.
const iterator = ICAL.RecurIterator.prototype as unknown as Record<string, Method>
for (const name of ['next', 'check_contracting_rules', 'expand_year_days', 'increment_month']) {
  const original = iterator[name] as Method
  iterator[name] = function (...values) {
    RecurrenceLimit.countStep()
    return original.apply(this, values)
  }
}

const rule = ICAL.Recur.prototype
const createIterator = rule.iterator
rule.iterator = function (start) {
  if (this.interval > maxInterval) throw new Error(`INTERVAL=${this.interval} is larger than ${maxInterval}`)
  return createIterator.call(this, start)
}

const zone = ICAL.Timezone.prototype as unknown as { _ensureCoverage: Method }
const expandChanges = zone._ensureCoverage
zone._ensureCoverage = function (this: { changes: unknown[]; expandedUntilYear: number }, year) {
  // The library appends all changes again.
  if (this.expandedUntilYear < (year as number)) this.changes = []
  return RecurrenceLimit.runSteps(maxZoneSteps, () => expandChanges.call(this, year))
} as Method

const time = ICAL.Time.prototype as unknown as { adjust: Method; _time: TimeFields }
const normalize = time.adjust
time.adjust = function (this: { _time: TimeFields }, days, hours, minutes, seconds, fields) {
  const { day, hour, minute, second } = (fields as TimeFields | undefined) ?? this._time
  const added = [days, hours, minutes, seconds] as [number, number, number, number]
  checkDays(
    day + added[0] + (hour + added[1]) / 24 + (minute + added[2]) / 1440 + (second + added[3]) / 86_400,
  )
  return normalize.call(this, days, hours, minutes, seconds, fields)
} as Method

const duration = ICAL.Duration.prototype
const toSeconds = duration.toSeconds
duration.toSeconds = function () {
  const seconds = toSeconds.call(this)
  checkDays(seconds / 86_400)
  return seconds
}

function checkDays(days: number) {
  if (!(Math.abs(days) <= maxDays)) throw new Error('a duration is longer than a thousand years')
}

/** The fields of a time; not normalized after an addition, such as day 40. */
interface TimeFields {
  day: number
  hour: number
  minute: number
  second: number
}
