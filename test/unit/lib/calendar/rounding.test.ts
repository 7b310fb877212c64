import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRounding, roundSeconds } from '../../../../src/lib/calendar/rounding.js'
import { usageErrorOf } from '../../../support/usage-error.js'

test.each([
  ['15m', 900, 'nearest'],
  ['6m:up', 360, 'up'],
  ['1:30:down', 5400, 'down'],
  ['0.25h:NEAREST', 900, 'nearest'],
  [' 90s ', 90, 'nearest'],
] as const)('reads the rounding %j', (text, stepSeconds, direction) => {
  expect(parseRounding(text)).toEqual({ stepSeconds, direction })
})

test.each(['', '15', 'up', '15m:', '15m:sideways', '15m:up:down', '0m', '-5m', ':up'])(
  'rejects the rounding %j',
  (text) => {
    usageErrorOf(() => parseRounding(text))
  },
)

test.each([
  [450, 900, 0, 900],
  [449, 900, 0, 0],
  [900, 900, 900, 900],
])('rounds %i seconds to a quarter of an hour', (seconds, up, down, nearest) => {
  const to = (direction: 'up' | 'down' | 'nearest') => roundSeconds(seconds, { stepSeconds: 900, direction })
  expect([to('up'), to('down'), to('nearest')]).toEqual([up, down, nearest])
})

test('the result is a multiple of the step, less than one step away in the right direction', () => {
  const rounding = fc.record({
    stepSeconds: fc.integer({ min: 1, max: 100_000 }),
    direction: fc.constantFrom('up' as const, 'down' as const, 'nearest' as const),
  })
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), rounding, (seconds, { stepSeconds, direction }) => {
      const result = roundSeconds(seconds, { stepSeconds, direction })
      expect(result % stepSeconds).toBe(0)
      expect(Math.abs(result - seconds)).toBeLessThan(stepSeconds)
      if (direction === 'up') expect(result).toBeGreaterThanOrEqual(seconds)
      if (direction === 'down') expect(result).toBeLessThanOrEqual(seconds)
      if (direction === 'nearest') expect(Math.abs(result - seconds) * 2).toBeLessThanOrEqual(stepSeconds)
    }),
  )
})

test('shows the typed number with a unit where the unit is missing', () => {
  expect(usageErrorOf(() => parseRounding('15')).hint).toBe('Write minutes as 15m, or hours as 15h.')
})
