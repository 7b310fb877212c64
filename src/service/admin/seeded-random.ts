/** A random number generator with a seed (mulberry32): the same seed gives the same numbers. */
export interface SeededRandom {
  /** Returns a number n with 0 ≤ n < 1. */
  next(): number
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  }
}
