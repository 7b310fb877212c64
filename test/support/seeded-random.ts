import { createHash } from 'node:crypto'

/** The seed of this run: `TT_SEED`, or a new one. It is printed, so that a run can be repeated. */
export function chooseSeed(what: string): string {
  const seed = process.env.TT_SEED || String(Math.floor(Math.random() * 1e9))
  process.stdout.write(`${what}: TT_SEED=${seed}\n`)
  return seed
}

/** Chance that a seed decides: the same seed throws the same. */
export class SeededRandom {
  #state: number

  constructor(seed: string) {
    this.#state = createHash('sha256').update(seed).digest().readUInt32LE()
  }

  /** At least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `least` up to and with `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  /** One of the names, each as likely as its weight. */
  weighted<Name extends string>(weights: Readonly<Partial<Record<Name, number>>>): Name {
    const names = Object.entries(weights) as [Name, number][]
    let left = this.next() * names.reduce((sum, [, weight]) => sum + weight, 0)
    const found = names.find(([, weight]) => {
      left -= weight
      return left < 0
    })
    return this.pick(found ? [found[0]] : names.map(([name]) => name))
  }
}
