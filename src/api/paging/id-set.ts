import type { Id } from '../types.js'

/**
 * The ids of very many records, a number and its text being the same. Whole numbers, as most services count their
 * records, take a bit each where they lie close together.
 */
export class IdSet {
  /** By the number that 32 of them share, without what is left of the division. */
  readonly #numbers = new Map<number, number>()
  readonly #texts = new Set<string>()

  /** Answers whether it was not there yet. */
  add(id: Id): boolean {
    const number = wholeNumber(id)
    if (number === undefined) {
      const count = this.#texts.size
      return this.#texts.add(String(id)).size > count
    }
    const [group, bit] = [Math.floor(number / 32), 1 << (number % 32)]
    const bits = this.#numbers.get(group) ?? 0
    if (bits & bit) return false
    this.#numbers.set(group, bits | bit)
    return true
  }

  has(id: Id): boolean {
    const number = wholeNumber(id)
    if (number === undefined) return this.#texts.has(String(id))
    return ((this.#numbers.get(Math.floor(number / 32)) ?? 0) & (1 << (number % 32))) !== 0
  }
}

function wholeNumber(id: Id): number | undefined {
  const number = Number(id)
  return Number.isSafeInteger(number) && number >= 0 && String(number) === String(id) ? number : undefined
}
