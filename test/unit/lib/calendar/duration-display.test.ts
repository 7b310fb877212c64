import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  DurationDisplay,
  durationFormats,
  exactFormats,
} from '../../../../src/lib/calendar/duration-display.js'

const words = DurationDisplay.of('1h 24m')
const clock = DurationDisplay.of('1:24')
const decimal = DurationDisplay.of('1.40')

describe('a single duration', () => {
  test.each([
    [5040, '1h 24m', '1:24', '1.40'],
    [5099, '1h 24m', '1:24', '1.42'],
    [45, '45s', '0:00', '0.01'],
    [0, '0m', '0:00', '0.00'],
    [-5400, '-1h 30m', '-1:30', '-1.50'],
    [-10, '-10s', '0:00', '0.00'],
    [360_000, '100h 00m', '100:00', '100.00'],
  ])('of %i s is displayed in the format of the setting', (seconds, ...texts) => {
    expect([words, clock, decimal].map((display) => display.format(seconds))).toEqual(texts)
  })

  test.each([
    [[5040, 3600], '1:24:00', '1.40', '84'],
    [[5041, 3600], '1:24:01', '1.4003', '84.02'],
    [[0], '0:00:00', '0.00', '0'],
  ])('of %j s is exact', (seconds, ...texts) => {
    const displays = exactFormats.map((format) => DurationDisplay.exact(format, seconds))
    expect(displays.map((display) => display.format(seconds[0] ?? 0))).toEqual(texts)
  })
})

describe('durations of a list', () => {
  test('add up to their total: eight times 29m 20s is 3h 54m', () => {
    const list = Array.from({ length: 8 }, () => 1760)
    expect(words.texts(list)).toEqual(['30m', '30m', ...Array.from({ length: 6 }, () => '29m')])
    expect(clock.texts([3600, 45, 44])).toEqual(['1:00', '0:01', '0:00'])
    expect(decimal.texts([1200, 1200, 1200])).toEqual(['0.34', '0.33', '0.33'])
  })

  test('below a minute have seconds', () => {
    expect(words.texts([20, 25])).toEqual(['20s', '25s'])
    expect(words.texts([3600, 25])).toEqual(['1h 00m', '0m'])
  })

  test('add up in every format and on every level, and differ from the exact ones by less than a step', {
    tags: 'slow',
  }, () => {
    const seconds = fc.array(fc.integer({ min: 0, max: 400_000 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.array(seconds, { minLength: 1, maxLength: 6 }), (groups) => {
        const sums = groups.map((group) => group.reduce((sum, part) => sum + part, 0))
        const whole = sums.reduce((sum, part) => sum + part, 0)
        const displays = [
          ...durationFormats.map((format) => ({
            display: DurationDisplay.of(format),
            step: format === '1.40' ? 36 : 60,
          })),
          { display: DurationDisplay.exact('hms', [whole]), step: 1 },
          { display: DurationDisplay.exact('decimal', [1]), step: 0.36 },
          { display: DurationDisplay.exact('minutes', [1]), step: 0.6 },
        ]
        for (const { display, step } of displays) {
          const displayedSums = display.parts(sums)
          expect(add(displayedSums)).toBeCloseTo(display.rounded(whole), 6)
          for (const [index, group] of groups.entries()) {
            const displayed = display.parts(group, displayedSums[index])
            expect(add(displayed)).toBeCloseTo(displayedSums[index] ?? 0, 6)
            for (const [at, part] of displayed.entries())
              expect(Math.abs(part - (group[at] ?? 0))).toBeLessThan(step)
          }
        }
      }),
    )
  })
})

function add(numbers: readonly number[]): number {
  return numbers.reduce((sum, part) => sum + part, 0)
}
