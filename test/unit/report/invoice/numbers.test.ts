import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkNumber,
  nextNumber,
  parseNumberPattern,
  type TakenNumber,
} from '../../../../src/report/invoice/numbers.js'
import { usageErrorOf } from '../../../support/usage-error.js'

const taken = (...numbers: [string, string | null, number | null][]) =>
  new Map(numbers.map(([number, series, count]): [string, TakenNumber] => [number, { series, count }]))

describe('a pattern', () => {
  test.each([
    ['{year}-{n:3}', '2024-05-31', 7, '2024-007'],
    ['{year}-{n:3}', '2024-05-31', 1234, '2024-1234'],
    ['INV-{year}{month}-{n}', '2024-05-31', 7, 'INV-202405-7'],
    ['{n:5}/{day}.{month}', '2024-05-31', 7, '00007/31.05'],
  ])('%s on %s gives the count %i as %s', (text, day, count, number) => {
    const pattern = parseNumberPattern(text)
    expect(pattern.format(day, count)).toBe(number)
    expect(pattern.countIn(day, number)).toBe(count)
  })

  test.each([
    '{year}',
    '{n}{n:2}',
    '{n:0}',
    '{N}',
    '{week}-{n}',
    '{n',
    '{year}\n{n}',
    `{n}${'x'.repeat(60)}`,
  ])('cannot be %j', (text) => {
    usageErrorOf(() => parseNumberPattern(text))
  })

  test('finds no count in the number of another series', () => {
    const pattern = parseNumberPattern('{year}-{n:3}')
    for (const number of ['2023-001', '2024-', '2024-1a', 'X2024-001', '2024-001-1'])
      expect(pattern.countIn('2024-05-01', number)).toBeUndefined()
  })
})

describe('a start', () => {
  test.each([
    ['{year}-{n:3}', '2023-042'],
    ['{year}-{n:3}', '2024-1042'],
    ['INV.{year}/{month}#{day} {n}', 'INV.2024/05#31 7'],
  ])('of %s can be %s', (text, start) => {
    expect(() => parseNumberPattern(text).checkStart(start)).not.toThrow()
  })

  test.each([
    ['{year}-{n:3}', '9'],
    ['{year}-{n:3}', '24-001'],
    ['A.{n}', 'A-7'],
    ['{n}', '2024-001'],
  ])('of %s cannot be %s', (text, start) => {
    const pattern = parseNumberPattern(text)
    expect(usageErrorOf(() => pattern.checkStart(start)).message).toContain(`the pattern ${text}`)
    usageErrorOf(() => nextNumber(pattern, '2024-05-01', { taken: taken(), start }))
  })
})

test.each(['', ' 1', '1 ', 'a\nb', 'a"b', '<b>', 'x'.repeat(41)])('%j cannot be a number', (number) => {
  usageErrorOf(() => checkNumber(number))
})

describe('the next number', () => {
  const pattern = parseNumberPattern('{year}-{n:3}')
  const next = (numbers: ReturnType<typeof taken>, start?: string, day = '2024-05-01') =>
    nextNumber(pattern, day, { taken: numbers, start }).number

  test('is one after the highest of its series, whatever is missing before it', () => {
    expect(next(taken())).toBe('2024-001')
    expect(next(taken(['2024-001', '2024-{n}', 1], ['2024-005', '2024-{n}', 5]))).toBe('2024-006')
    expect(next(taken(['2023-009', '2023-{n}', 9]))).toBe('2024-001')
  })

  test('is not moved by a number that the user has chosen, and skips it', () => {
    expect(next(taken(['2024-009', null, null]))).toBe('2024-001')
    expect(next(taken(['2024-001', null, null], ['2024-002', null, null]))).toBe('2024-003')
  })

  test('begins at the number after those of another program, in its series only', () => {
    expect(next(taken(), '2024-042')).toBe('2024-042')
    expect(next(taken(['2024-042', '2024-{n}', 42]), '2024-042')).toBe('2024-043')
    expect(next(taken(), '2024-042', '2025-01-01')).toBe('2025-001')
  })

  test('is never a taken one', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 30 })),
        fc.array(fc.integer({ min: 1, max: 40 })),
        (counts, chosen) => {
          const numbers = taken(
            ...counts.map((count): [string, string, number] => [
              pattern.format('2024-05-01', count),
              '2024-{n}',
              count,
            ]),
          )
          for (const count of chosen) {
            const number = pattern.format('2024-05-01', count)
            if (!numbers.has(number)) numbers.set(number, { series: null, count: null })
          }
          const { number, count } = nextNumber(pattern, '2024-05-01', { taken: numbers })
          expect(numbers.has(number)).toBe(false)
          expect(count).toBeGreaterThan(Math.max(0, ...counts))
        },
      ),
    )
  })
})
