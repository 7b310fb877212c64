import { TtError } from '../errors.js'
import { invalidFormatError, normalizeText } from './parse-words.js'
import { pad } from './zoned-time.js'

const amountPattern = String.raw`(\d+(?:\.\d+)?)`
const unitsPattern = new RegExp(
  `^(?:${amountPattern} ?(?:h|hr|hrs|hour|hours))?` +
    `(?: ?${amountPattern} ?(?:m|min|mins|minute|minutes))?` +
    `(?: ?${amountPattern} ?(?:s|sec|secs|second|seconds))?$`,
)
const isoPattern = new RegExp(
  `^p(?=.*\\d)(?:${amountPattern}d)?(?:t(?=\\d)(?:${amountPattern}h)?(?:${amountPattern}m)?(?:${amountPattern}s)?)?$`,
)
const clockPattern = /^(\d+):(\d\d)(?::(\d\d))?$/

const secondsOfClock = [3600, 60, 1]
const secondsOfIso = [86_400, ...secondsOfClock]
/** Upper bound for durations: ten years of 365.25 days. Longer input is a typing error. */
const maxSeconds = 10 * 365.25 * 86_400

/**
 * Parses a duration and returns whole seconds, always more than zero.
 *
 * Accepts `1h30m`, `1h 30m`, `1h30`, `90m`, `1.5h`, `1,5h`, `45s`, `2 hours 5 minutes`, `1:30` (h:mm), `1:30:15`, and ISO 8601 durations
 * of days and smaller units (`PT1H30M`, `P1DT2H`; a day is 24 hours), in upper or lower case. Only the last part can have
 * a fraction. Throws TtError `usage` for anything else, such as a number without a unit, and for durations below one second
 * or above ten years.
 */
export function parseDuration(text: string): number {
  const plain = normalizeText(text)
    .replace(/^(\d+)h(\d\d)$/, '$1h$2m')
    .replace(/(?<=\d),(?=\d{1,2} ?[hms])/, '.')
  if (plain === '') throw invalidFormatError('duration', text, 'it is empty')
  if (plain.startsWith('-')) throw invalidFormatError('duration', text, 'it cannot be negative')
  if (/^\d+(\.\d+)?$/.test(plain)) {
    const message = `${JSON.stringify(text)} is not a duration: the unit is missing.`
    throw new TtError('usage', message, { hint: `Write minutes as ${plain}m, or hours as ${plain}h.` })
  }
  const seconds = Math.round(parseSeconds(plain, text))
  if (seconds < 1) throw invalidFormatError('duration', text, 'it must be at least one second')
  if (seconds > maxSeconds) throw invalidFormatError('duration', text, 'it is longer than ten years')
  return seconds
}

function parseSeconds(plain: string, text: string): number {
  const clockMatch = clockPattern.exec(plain)
  if (clockMatch) {
    const [, , minutes = '', seconds = '00'] = clockMatch
    if (minutes > '59')
      throw invalidFormatError('duration', text, 'after the hours, minutes go from 00 to 59')
    if (seconds > '59')
      throw invalidFormatError('duration', text, 'after the minutes, seconds go from 00 to 59')
    return weightedSum(clockMatch.slice(1), secondsOfClock)
  }
  const unitAmounts = unitsPattern.exec(plain)?.slice(1)
  const amounts = unitAmounts ?? isoPattern.exec(plain)?.slice(1)
  if (!amounts) throw invalidFormatError('duration', text)
  const present = amounts.filter((part) => part !== undefined)
  if (present.slice(0, -1).some((part) => part.includes('.'))) {
    throw invalidFormatError('duration', text, 'only the last part can have a fraction')
  }
  return weightedSum(amounts, unitAmounts ? secondsOfClock : secondsOfIso)
}

function weightedSum(amounts: (string | undefined)[], weights: number[]): number {
  return weights.reduce((seconds, weight, index) => seconds + weight * Number(amounts[index] ?? 0), 0)
}

/**
 * Formats whole seconds for display: `1h 24m`, `24m`, `45s` (below one minute), `0m`, `-1h 05m`. Above one minute, seconds
 * are dropped; hours are not converted to days.
 */
export function formatDuration(seconds: number): string {
  const sign = seconds < 0 ? '-' : ''
  const whole = Math.floor(Math.abs(seconds))
  if (whole === 0) return '0m'
  if (whole < 60) return `${sign}${whole}s`
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours === 0 ? `${sign}${minutes}m` : `${sign}${hours}h ${pad(minutes)}m`
}
