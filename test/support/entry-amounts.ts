import type { LocalDay, TrackedEntry } from './year.js'

/** A rate in thousandths of its currency for an hour. */
export interface ThousandthsRate {
  thousandths: bigint
  currency: string
  /** The decimals of the currency. */
  digits: number
}

export interface StepRounding {
  step: number
  direction: 'up' | 'down' | 'nearest'
}

/** What one day of an entry has of its figures; the amount is in the smallest unit of the currency, 0 without a rate. */
export interface DayFigures {
  day: string
  seconds: number
  roundedSeconds: number
  amount: bigint
}

/**
 * Computes the figures of the days of an entry in whole numbers, without the code of the program: the amount is the rate
 * times the rounded duration of the whole entry, half up, distributed by largest remainder.
 */
export function figuresByDay(
  { from, to }: TrackedEntry,
  rate: ThousandthsRate | undefined,
  rounding: StepRounding | undefined,
  days: readonly LocalDay[],
  now: number,
): DayFigures[] {
  const end = to ?? now
  const touched = days.filter((day) => day.from < end && day.to > from)
  const rounded = (seconds: number) => (rounding ? roundTo(seconds, rounding) : seconds)
  const figures = touched.map((day): DayFigures => {
    const [before, after] = [Math.max(0, day.from - from), Math.min(end, day.to) - from]
    return {
      day: day.day,
      seconds: after - before,
      roundedSeconds: rounded(after) - rounded(before),
      amount: 0n,
    }
  })
  const total = BigInt(rounded(end - from))
  if (!rate || total === 0n) return figures
  const divisor = 3600n * 10n ** BigInt(3 - rate.digits)
  const amount = (2n * rate.thousandths * total + divisor) / (2n * divisor)
  let rest = amount
  for (const figure of figures) {
    figure.amount = (amount * BigInt(figure.roundedSeconds)) / total
    rest -= figure.amount
  }
  const remainder = ({ roundedSeconds }: DayFigures) => (amount * BigInt(roundedSeconds)) % total
  const byRemainder = figures.toSorted((a, b) => Number(remainder(b) - remainder(a)))
  for (const figure of byRemainder.slice(0, Number(rest))) figure.amount++
  return figures
}

function roundTo(seconds: number, { step, direction }: StepRounding): number {
  const added = { up: step - 1, down: 0, nearest: Math.floor(step / 2) }[direction]
  // An odd step has no half: what is just below it is rounded down.
  return Math.floor((seconds + added) / step) * step
}
