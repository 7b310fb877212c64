import { TtError } from '../errors.js'
import { parseDuration } from './duration.js'

/** How durations are rounded to a multiple of `stepSeconds`. */
export interface Rounding {
  stepSeconds: number
  direction: 'up' | 'down' | 'nearest'
}

const directions = ['up', 'down', 'nearest'] as const

/**
 * Parses a rounding such as `15m` or `6m:up`: a duration, and optionally `up`, `down` or `nearest` (the default). Throws
 * TtError `usage` for anything else.
 */
export function parseRounding(text: string): Rounding {
  const [step = '', directionText = 'nearest', ...rest] = text.trim().split(/:(?=\D)/)
  const direction = directions.find((name) => name === directionText.toLowerCase())
  if (!direction || rest.length > 0) {
    throw new TtError('usage', `"${text}" is not a rounding: "${directionText}" is not a direction.`, {
      hint: 'Valid formats: 15m, 15m:up, 6m:down, 6m:nearest.',
    })
  }
  return { stepSeconds: parseDuration(step), direction }
}

/** Returns non-negative whole seconds, rounded; a half step is rounded up. */
export function roundSeconds(seconds: number, { stepSeconds, direction }: Rounding): number {
  const steps = seconds / stepSeconds
  if (direction === 'up') return Math.ceil(steps) * stepSeconds
  return (direction === 'down' ? Math.floor(steps) : Math.round(steps)) * stepSeconds
}
