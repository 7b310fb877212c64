import { createHash } from 'node:crypto'

/** Returns `TT_SEED` or a new seed, and prints it so that a run can be repeated. */
export function chooseSeed(title: string): string {
  const seed = process.env.TT_SEED || String(Math.floor(Math.random() * 1e9))
  process.stdout.write(`${title}: TT_SEED=${seed}\n`)
  return seed
}

/** Random numbers that depend only on the seed. */
export class SeededRandom {
  #state: number

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE()
  }

  /** Returns a number from 0 up to but excluding 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new Error('Cannot pick from an empty list.')
    return item
  }

  /** Picks a name with a probability in proportion to its weight. */
  weighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name {
    const names = Object.entries(weights) as [Name, number][]
    let remaining = this.next() * names.reduce((sum, [, weight]) => sum + weight, 0)
    const found = names.find(([, weight]) => {
      remaining -= weight
      return remaining < 0
    })
    return this.pick(found ? [found[0]] : names.map(([name]) => name))
  }
}
