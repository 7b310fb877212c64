import { pad } from '../lib/calendar/zoned-time.js'

const hundredthSeconds = 36

/**
 * Rounds seconds half up to a hundredth of an hour, the precision of `decimalHours`. The amount of these hours,
 * `amountOf(rate, roundToHundredth(seconds))`, is exactly the displayed hours × the rate.
 */
export function roundToHundredth(seconds: number): number {
  return Math.floor((seconds + hundredthSeconds / 2) / hundredthSeconds) * hundredthSeconds
}

/**
 * Returns seconds from 0 on as decimal hours with two places, rounded half up: "3.83" for 3h 50m. Beside a displayed
 * duration, the seconds are those displayed, so that equal durations have equal hours.
 */
export function decimalHours(seconds: number): string {
  const hundredths = roundToHundredth(seconds) / hundredthSeconds
  return `${Math.floor(hundredths / 100)}.${pad(hundredths % 100)}`
}
