import { formatTime } from '../calendar/time.js'
import { errorMessage } from '../lib/errors.js'

export interface StalenessOptions {
  warn(text: string): void
  /** The moment that the command was typed. */
  now: Date
}

/** Says that what a command shows is not what the service says now. */
export class Staleness {
  readonly #options: StalenessOptions
  #told = false

  constructor(options: StalenessOptions) {
    this.#options = options
  }

  /**
   * Tells once a command from when its data is, and why.
   *
   * @param error why the service did not answer
   * @param known `at` is undefined where the service was never asked for all of it
   */
  note(error: unknown, { at, complete }: { at: Date | undefined; complete: boolean }): void {
    if (this.#told) return
    this.#told = true
    const { now, warn } = this.#options
    const reason = errorMessage(error)
    const known = at ? `was known at ${formatTime(at, now)}${spokenAge(at, now)}` : 'this machine knows'
    const gaps = complete ? '' : ' Some of it may be missing: not all of that period was ever asked for.'
    warn(`${reason} This is what ${known}.${gaps}`)
  }
}

/** ", 6 minutes ago"; nothing where the clock was set back since. */
function spokenAge(at: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - at.getTime()) / 60_000)
  if (minutes < 0) return ''
  if (minutes === 0) return ', less than a minute ago'
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `, ${counted(minutes, 'minute')} ago`
  return hours < 48 ? `, ${counted(hours, 'hour')} ago` : `, ${counted(Math.floor(hours / 24), 'day')} ago`
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
