import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOfDay, startOfDay } from '../../../../src/lib/calendar/day.js'
import { type Interval, overlap, splitAtMidnight } from '../../../../src/lib/calendar/interval.js'
import { hourMs } from '../../../../src/lib/time-units.js'
import { anyInstant, anyZone, inZone } from './zone.js'

const interval = (start: string, end: string): Interval => ({ start: new Date(start), end: new Date(end) })

const anyInterval = fc
  .tuple(anyInstant, fc.integer({ min: 0, max: 5 * 24 * 60 * 60 * 1000 }))
  .map(([start, lengthMs]) => ({ start, end: new Date(start.getTime() + lengthMs) }))

describe('overlap', () => {
  const morning = interval('2024-05-01T09:00:00Z', '2024-05-01T12:00:00Z')

  test.each([
    ['the common part of two intervals', '2024-05-01T11:00:00Z', '2024-05-01T13:00:00Z', '11', '12'],
    ['the inner interval', '2024-05-01T10:00:00Z', '2024-05-01T11:00:00Z', '10', '11'],
    ['the whole of equal intervals', '2024-05-01T09:00:00Z', '2024-05-01T12:00:00Z', '09', '12'],
  ])('returns %s', (_, start, end, first, last) => {
    const shared = interval(`2024-05-01T${first}:00:00Z`, `2024-05-01T${last}:00:00Z`)
    expect(overlap(morning, interval(start, end))).toEqual(shared)
    expect(overlap(interval(start, end), morning)).toEqual(shared)
  })

  test.each([
    ['the intervals only touch', '2024-05-01T12:00:00Z', '2024-05-01T13:00:00Z'],
    ['the intervals are apart', '2024-05-01T13:00:00Z', '2024-05-01T14:00:00Z'],
    ['one of them has no length', '2024-05-01T10:00:00Z', '2024-05-01T10:00:00Z'],
  ])('is undefined when %s', (_, start, end) => {
    expect(overlap(morning, interval(start, end))).toBeUndefined()
    expect(overlap(interval(start, end), morning)).toBeUndefined()
  })
})

describe('splitAtMidnight', () => {
  const days = (zone: string, start: string, end: string) =>
    inZone(zone, () =>
      splitAtMidnight(interval(start, end)).map((piece) => [
        piece.day,
        (piece.end.getTime() - piece.start.getTime()) / hourMs,
      ]),
    )

  test.each([
    ['an interval within a day', 'UTC', '2024-05-01T09:00Z', '2024-05-01T10:30Z', [['2024-05-01', 1.5]]],
    [
      'an interval without length at midnight',
      'UTC',
      '2024-05-01T00:00Z',
      '2024-05-01T00:00Z',
      [['2024-05-01', 0]],
    ],
    ['an interval up to midnight', 'UTC', '2024-05-01T23:00Z', '2024-05-02T00:00Z', [['2024-05-01', 1]]],
    [
      'a day of 23 hours',
      'Europe/Berlin',
      '2024-03-30T22:00Z',
      '2024-03-31T23:00Z',
      [
        ['2024-03-30', 1],
        ['2024-03-31', 23],
        ['2024-04-01', 1],
      ],
    ],
    [
      'a skipped day',
      'Pacific/Apia',
      '2011-12-30T09:00Z',
      '2011-12-30T11:00Z',
      [
        ['2011-12-29', 1],
        ['2011-12-31', 1],
      ],
    ],
    [
      'a day on which the clocks go back over midnight',
      'America/St_Johns',
      '2010-11-07T01:30Z',
      '2010-11-07T04:30Z',
      [
        ['2010-11-06', 1],
        ['2010-11-07', 2],
      ],
    ],
  ])('splits %s', (_, zone, start, end, pieces) => {
    expect(days(zone, start, end)).toEqual(pieces)
  })

  test('returns pieces without gaps, each within its day', () => {
    fc.assert(
      fc.property(anyZone, anyInterval, (zone, whole) =>
        inZone(zone, () => {
          const pieces = splitAtMidnight(whole)
          expect(pieces[0]?.start).toEqual(whole.start)
          expect(pieces.at(-1)?.end).toEqual(whole.end)
          pieces.forEach((piece, index) => {
            const next = pieces[index + 1]
            if (next) expect(next.start).toEqual(piece.end)
            if (next) expect(next.day > piece.day).toBe(true)
            if (next) expect(piece.end > piece.start).toBe(true)
            expect(piece.start >= startOfDay(piece.day)).toBe(true)
            expect(piece.end <= endOfDay(piece.day)).toBe(true)
          })
          const lengthMs = pieces.reduce((sum, { start, end }) => sum + end.getTime() - start.getTime(), 0)
          expect(lengthMs).toBe(whole.end.getTime() - whole.start.getTime())
        }),
      ),
      { numRuns: 500 },
    )
  })
})
