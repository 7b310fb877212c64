import { addDecimals } from '../lib/decimals.js'
import type { Money } from './report-model.js'

/** Adds amounts exactly by currency, sorted by its code. The sum has the larger number of digits: 1.50 and 2 are 3.50. */
export function addAmounts(some: readonly Money[], others: readonly Money[]): Money[] {
  const sums = new Map(some.map(({ currency, amount }) => [currency, amount]))
  for (const { currency, amount } of others) {
    const before = sums.get(currency)
    sums.set(currency, before === undefined ? amount : addDecimals(before, amount))
  }
  return [...sums]
    .map(([currency, amount]) => ({ currency, amount }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}
