import type { Id } from '../types.js'

/**
 * A set of many IDs, in which a number equals its text. Consecutive whole numbers, which most services use as IDs, take
 * about one bit each.
 */
export class IdSet {
  /** Bits of 32 consecutive numbers each, by the first number divided by 32. */
  readonly #numbers = new Map<number, number>()
  readonly #texts = new Set<string>()

  /** Adds the ID. Returns whether it was new. */
  add(id: Id): boolean {
    const number = wholeNumber(id)
    if (number === undefined) {
      const sizeBefore = this.#texts.size
      return this.#texts.add(String(id)).size > sizeBefore
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
  if (typeof id === 'number') return Number.isSafeInteger(id) && id >= 0 ? id : undefined
  const number = Number(id)
  return Number.isSafeInteger(number) && number >= 0 && String(number) === id ? number : undefined
}
