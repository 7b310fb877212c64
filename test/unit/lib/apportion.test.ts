import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apportion } from '../../../src/lib/decimals.js'

describe('a total', () => {
  test.each<[total: bigint, numerators: bigint[], denominator: bigint, parts: bigint[]]>([
    [10n, [10n, 10n, 10n], 3n, [4n, 3n, 3n]],
    [2n, [29n, 31n, 60n], 60n, [0n, 1n, 1n]],
    [0n, [], 1n, []],
  ])('of %s is distributed to the largest remainders', (total, numerators, denominator, parts) => {
    expect(apportion(total, numerators, denominator)).toEqual(parts)
  })

  test('is the sum of its parts, and each part is its exact value rounded down or up', () => {
    const weights = fc.array(fc.bigInt({ min: 0n, max: 10n ** 9n }), { minLength: 1 })
    fc.assert(
      fc.property(weights, fc.bigInt({ min: 0n, max: 10n ** 12n }), (weights, total) => {
        const sum = weights.reduce((all, weight) => all + weight, 0n)
        fc.pre(sum > 0n)
        const numerators = weights.map((weight) => weight * total)
        const parts = apportion(total, numerators, sum)
        expect(parts.reduce((all, part) => all + part, 0n)).toBe(total)
        for (const [index, part] of parts.entries()) {
          const numerator = numerators[index] ?? 0n
          const isExact = numerator % sum === 0n
          expect([numerator / sum, numerator / sum + (isExact ? 0n : 1n)]).toContain(part)
        }
      }),
    )
  })
})
