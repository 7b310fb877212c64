/**
 * Distributes a whole total over parts by largest remainder: each part is its quotient rounded down, and the parts with
 * the largest remainders, of equal ones the first, get one more until the total is reached.
 *
 * The exact parts are `numerators` (from 0 on) divided by `denominator` (above 0). The total is at least the sum of the
 * rounded parts, and less than one above it for each part that has a remainder.
 */
export function apportion(total: bigint, numerators: readonly bigint[], denominator: bigint): bigint[] {
  const parts = numerators.map((numerator) => numerator / denominator)
  const missing = Number(total - parts.reduce((sum, part) => sum + part, 0n))
  if (missing === 0) return parts
  const remainders = numerators.map((numerator, index) => ({ index, remainder: numerator % denominator }))
  remainders.sort((a, b) => compare(b.remainder, a.remainder) || a.index - b.index)
  for (const { index } of remainders.slice(0, missing)) parts[index] = (parts[index] ?? 0n) + 1n
  return parts
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
