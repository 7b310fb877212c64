/** Returns the exact sum of decimal strings, with the places of the one that has more of them: 1.50 and 2 are 3.50. */
export function addDecimals(a: string, b: string): string {
  return combine(a, b, (some, others) => some + others)
}

/** Returns `a` less `b`, with the decimal places of the operand that has more of them. */
export function subtractDecimals(a: string, b: string): string {
  return combine(a, b, (from, less) => from - less)
}

function combine(a: string, b: string, calculate: (a: bigint, b: bigint) => bigint): string {
  const places = Math.max(placesOf(a), placesOf(b))
  const unitsIn = (text: string) => unitsOf(text) * 10n ** BigInt(places - placesOf(text))
  return fromUnits(calculate(unitsIn(a), unitsIn(b)), places)
}

function placesOf(amount: string): number {
  return amount.split('.')[1]?.length ?? 0
}

/** Returns a decimal number in units of its last place: "12.50" becomes 1250. */
export function unitsOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

/** Returns a number of units of the last of `places` decimal places: 1250 with two becomes "12.50". */
export function fromUnits(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return units < 0n ? `-${text}` : text
}

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
