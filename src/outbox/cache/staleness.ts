import { hasUncertainLetters } from '../../api-client/filter/conditions.js'
import type { Predicates } from '../../api-client/filter/query.js'
import { formatTime } from '../../lib/calendar/time.js'
import { errorMessage } from '../../lib/errors.js'

export interface StalenessOptions {
  warn(text: string): void
  /** The time of the command. */
  now: Date
}

/** Warns once per command that its output comes from the cache. */
export class Staleness {
  readonly #options: StalenessOptions
  #hasWarned = false

  constructor(options: StalenessOptions) {
    this.#options = options
  }

  /**
   * Warns about the age of the output, and why the service was not used.
   *
   * @param error why there is no response from the service
   * @param predicates the filters that were applied to the cached data
   * @param known when the output was fetched; `at` is undefined where it never was as a whole
   */
  note(
    error: unknown,
    { at, complete }: { at: Date | undefined; complete: boolean },
    predicates: Predicates = {},
  ): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const { now, warn } = this.#options
    const reason = errorMessage(error)
    const age = at ? ` of ${formatTime(at, now)}${formatAge(at, now)}` : ''
    const gaps = complete ? '' : ' Some records may be missing: the cache does not cover the whole period.'
    const letters = hasUncertainLetters(predicates)
      ? ' Letters outside ASCII in the filter may be compared differently from the service.'
      : ''
    warn(`${reason} Showing cached data${age}.${gaps}${letters}`)
  }
}

/** Returns ", 6 minutes ago"; an empty text where the clock was set back since. */
function formatAge(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000)
  if (minutes < 0) return ''
  if (minutes === 0) return ', less than a minute ago'
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `, ${plural(minutes, 'minute')} ago`
  return hours < 48 ? `, ${plural(hours, 'hour')} ago` : `, ${plural(Math.floor(hours / 24), 'day')} ago`
}

function plural(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
