import { TtError } from '../lib/errors.js'
import { parseDuration } from './duration.js'

/** To which multiple of a step, in whole seconds, durations are rounded, and in which direction. */
export interface Rounding {
  stepSeconds: number
  direction: 'up' | 'down' | 'nearest'
}

const directions = ['up', 'down', 'nearest'] as const

/**
 * Reads `15m` or `6m:up`: a duration, and `up`, `down` or `nearest`, which is the default. Throws TtError `usage` for
 * anything else.
 */
export function parseRounding(text: string): Rounding {
  const [step = '', word = 'nearest', ...more] = text.trim().split(/:(?=\D)/)
  const direction = directions.find((name) => name === word.toLowerCase())
  if (!direction || more.length > 0) {
    throw new TtError('usage', `"${text}" is no rounding: "${word}" is no direction.`, {
      hint: 'Write it like 15m, 15m:up, 6m:down or 6m:nearest.',
    })
  }
  return { stepSeconds: parseDuration(step), direction }
}

/** Whole seconds, from zero on, rounded; what lies half-way between is rounded up. */
export function roundSeconds(seconds: number, { stepSeconds, direction }: Rounding): number {
  const steps = seconds / stepSeconds
  if (direction === 'up') return Math.ceil(steps) * stepSeconds
  return (direction === 'down' ? Math.floor(steps) : Math.round(steps)) * stepSeconds
}
