import { apportion } from '../decimals.js'
import { groupDigits } from '../text/words.js'
import { formatDuration } from './duration.js'
import { pad } from './zoned-time.js'

/** The values of the setting `duration_format`: 84 minutes in each format. The first is the default. */
export const durationFormats = ['1h 24m', '1:24', '1.40'] as const
export type DurationFormat = (typeof durationFormats)[number]

/** The formats of exact durations: h:mm:ss, decimal hours, decimal minutes. */
export const exactFormats = ['hms', 'decimal', 'minutes'] as const
export type ExactFormat = (typeof exactFormats)[number]

/** The smallest step of a format: `unitsPerHour` of them are an hour. */
interface Notation {
  unitsPerHour: number
  /** Whether a single duration is rounded down, as on a clock, instead of to the nearest step. */
  roundsDown?: boolean
  format(units: number): string
}

/**
 * Formats durations so that those of a list add up to their displayed total: the total is rounded to the steps of the
 * format, and its steps are distributed by largest remainder.
 */
export class DurationDisplay {
  readonly #notation: Notation

  private constructor(notation: Notation) {
    this.#notation = notation
  }

  /** Creates a display in whole minutes or hundredths of an hour. */
  static of(format: DurationFormat): DurationDisplay {
    return new DurationDisplay(notations[format])
  }

  /**
   * Creates a display of exact durations. Decimals have as many places as these whole seconds need: two or four for
   * hours, none or two for minutes; four places of an hour distinguish every second.
   */
  static exact(format: ExactFormat, seconds: readonly number[]): DurationDisplay {
    const fits = (step: number) => seconds.every((each) => each % step === 0)
    if (format === 'hms') return new DurationDisplay({ unitsPerHour: 3600, format: clockWithSeconds })
    if (format === 'decimal') return new DurationDisplay(decimal(3600, fits(36) ? 2 : 4))
    return new DurationDisplay(decimal(60, fits(60) ? 0 : 2))
  }

  /** The number of smallest steps in an hour; more than 3600 if exact decimals need parts of a second. */
  get stepsPerHour(): number {
    return this.#notation.unitsPerHour
  }

  /** Formats a single duration in seconds, which may be negative, with separators of thousands. */
  format(seconds: number): string {
    return groupDigits(this.formatPlain(seconds))
  }

  /** Formats a single duration for CSV, without separators of thousands. */
  formatPlain(seconds: number): string {
    const { format } = this.#notation
    // Below a minute, words show the seconds.
    if (this.#notation === words && Math.abs(seconds) < 60) return formatDuration(seconds)
    const units = this.#unitsOf(Math.abs(seconds))
    return `${seconds < 0 && units > 0 ? '-' : ''}${format(units)}`
  }

  /** Returns a single duration as displayed, in seconds. */
  rounded(seconds: number): number {
    if (this.#notation === words && seconds < 60) return seconds
    return (this.#unitsOf(seconds) * 3600) / this.#notation.unitsPerHour
  }

  /**
   * Returns durations as displayed in a list: steps of the format that add up to the displayed total, in seconds. By
   * default the total is their sum; otherwise it is a result of this function, for one of a list of totals.
   */
  parts(seconds: readonly number[], total?: number): number[] {
    const sum = seconds.reduce((all, part) => all + part, 0)
    // Below a minute, words show the seconds, which add up.
    if (this.#notation === words && sum < 60 && (total === undefined || total === sum)) return [...seconds]
    const { unitsPerHour } = this.#notation
    const units = total === undefined ? this.#unitsOf(sum) : Math.round((total * unitsPerHour) / 3600)
    const numerators = seconds.map((part) => BigInt(part) * BigInt(unitsPerHour))
    return apportion(BigInt(units), numerators, 3600n).map((part) => (Number(part) * 3600) / unitsPerHour)
  }

  /** Formats the durations of a list, so that they add up to their formatted total. */
  texts(seconds: readonly number[], total?: number): string[] {
    return this.parts(seconds, total).map((part) => this.format(part))
  }

  #unitsOf(seconds: number): number {
    const { unitsPerHour, roundsDown = false } = this.#notation
    // The nearest thousandth of a step: displayed durations are steps again.
    const units = Math.round((seconds * unitsPerHour * 1000) / 3600) / 1000
    return roundsDown ? Math.floor(units) : Math.round(units)
  }
}

const words: Notation = {
  unitsPerHour: 60,
  roundsDown: true,
  format: (minutes) => formatDuration(minutes * 60),
}

const notations: Readonly<Record<DurationFormat, Notation>> = {
  '1h 24m': words,
  '1:24': {
    unitsPerHour: 60,
    roundsDown: true,
    format: (minutes) => `${Math.floor(minutes / 60)}:${pad(minutes % 60)}`,
  },
  '1.40': decimal(3600, 2),
}

/** Returns the notation of decimal numbers of a unit, which is given in seconds. */
function decimal(unitSeconds: number, places: number): Notation {
  const scale = 10 ** places
  return {
    unitsPerHour: (3600 / unitSeconds) * scale,
    format: (units) => (units / scale).toFixed(places),
  }
}

function clockWithSeconds(seconds: number): string {
  return `${Math.floor(seconds / 3600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}
