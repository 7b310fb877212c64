import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../../../src/lib/calendar/duration.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { anyText } from './zone.js'

const tenYears = 315_576_000

describe('parseDuration', () => {
  test.each([
    [' 1h  30m ', 5400],
    ['1h90m', 9000],
    ['1h 1.5m', 3690],
    ['1.1h', 3960],
    ['1,5h', 5400],
    ['0,25 h', 900],
    ['9h30', 34_200],
    ['1s', 1],
    ['1h30m15s', 5415],
    ['1:30', 5400],
    ['100:00', 360_000],
    ['1:30:15', 5415],
    ['PT1H30M', 5400],
    ['P1DT2H', 93_600],
    ['P1D', 86_400],
    ['2 hours 5 minutes', 7500],
    ['1 hour 1 minute 1 second', 3661],
    ['2hrs 5mins', 7500],
    ['1 hr 1 min 30 secs', 3690],
    ['87660h', tenYears],
  ])('reads %j as %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })
})

describe('parseDuration of invalid text', () => {
  test.each([
    ['', 'it is empty'],
    ['90', 'the unit is missing'],
    ['1.5', 'the unit is missing'],
    ['0m', 'at least one second'],
    ['0.0001s', 'at least one second'],
    ['-5m', 'cannot be negative'],
    ['1:60', 'minutes go from 00 to 59'],
    ['1:30:60', 'seconds go from 00 to 59'],
    ['87660h 1s', 'longer than ten years'],
    [`${'9'.repeat(400)}h`, 'longer than ten years'],
    ['1.5h 30m', 'only the last part can have a fraction'],
    ['1:5', undefined],
    ['1:30:15:00', undefined],
    ['1h 30', undefined],
    ['1h5', undefined],
    ['1,500h', undefined],
    ['30m 1h', undefined],
    ['1d', undefined],
    ['.5h', undefined],
    ['+5m', undefined],
    ['1e3s', undefined],
    ['P', undefined],
    ['P1H', undefined],
    ['P1W', undefined],
    ['١h', undefined],
  ])('rejects %j, because %s', (text, reason) => {
    const { message } = usageErrorOf(() => parseDuration(text))
    const start = `${JSON.stringify(text)} is not a duration`
    if (reason === undefined) expect(message).toBe(`${start}.`)
    else expect(message).toMatch(new RegExp(`: .*${reason}`))
    expect(message.startsWith(start)).toBe(true)
  })

  test('suggests two forms for a number without a unit', () => {
    expect(usageErrorOf(() => parseDuration('90')).hint).toMatch(/90m.*90h/)
  })

  test('reads any text or throws a usage error', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          const seconds = parseDuration(text)
          expect(Number.isInteger(seconds) && seconds > 0 && seconds <= tenYears).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({ name: 'TtError', code: 'usage' })
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('formatDuration', () => {
  test.each([
    [0, '0m'],
    [1, '1s'],
    [59, '59s'],
    [60, '1m'],
    [119, '1m'],
    [3600, '1h 00m'],
    [5099, '1h 24m'],
    [3_600_000, '1000h 00m'],
    [-3900, '-1h 05m'],
    [-60, '-1m'],
  ])('formats %d seconds as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text)
  })

  test('returns text that parseDuration reads, except for the omitted seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: tenYears }), (seconds) => {
        const shown = seconds < 60 ? seconds : seconds - (seconds % 60)
        expect(parseDuration(formatDuration(seconds))).toBe(shown)
        expect(formatDuration(-seconds)).toBe(`-${formatDuration(seconds)}`)
      }),
    )
  })
})
