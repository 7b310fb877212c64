import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDay } from '../../../../src/lib/calendar/day.js'
import { parseDate } from '../../../../src/lib/calendar/period.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { anyInstant, anyText, anyZone, inZone } from './zone.js'

/** A Wednesday. */
const now = new Date('2024-05-01T12:00:00Z')

describe('parseDate', () => {
  test.each([
    ['2024-05-01', '2024-05-01'],
    [' Today ', '2024-05-01'],
    ['yesterday', '2024-04-30'],
    ['tomorrow', '2024-05-02'],
    ['wednesday', '2024-05-01'],
    ['thu', '2024-04-25'],
    ['sun', '2024-04-28'],
    ['last monday', '2024-04-29'],
    ['last wednesday', '2024-04-24'],
    ['-7d', '2024-04-24'],
    ['-0d', '2024-05-01'],
    ['-2w', '2024-04-17'],
    ['7 days ago', '2024-04-24'],
    ['1 day ago', '2024-04-30'],
    ['2w ago', '2024-04-17'],
    ['1 week ago', '2024-04-24'],
  ])('reads %j as the day %s', (text, day) => {
    inZone('Europe/Berlin', () => expect(parseDate(text, now)).toEqual({ first: day, last: day }))
  })

  test.each([
    ['week', '2024-04-29', '2024-05-05'],
    ['this month', '2024-05-01', '2024-05-31'],
    ['last year', '2023-01-01', '2023-12-31'],
    ['may', '2024-05-01', '2024-05-31'],
    ['june', '2023-06-01', '2023-06-30'],
    ['feb', '2024-02-01', '2024-02-29'],
    ['9999-12', '9999-12-01', '9999-12-31'],
    ['2024', '2024-01-01', '2024-12-31'],
    ['Q2', '2024-04-01', '2024-06-30'],
    ['q3', '2023-07-01', '2023-09-30'],
    ['2024-Q2', '2024-04-01', '2024-06-30'],
    ['W19', '2023-05-08', '2023-05-14'],
    ['w5', '2024-01-29', '2024-02-04'],
    ['w53', '2020-12-28', '2021-01-03'],
    ['w18 2023', '2023-05-01', '2023-05-07'],
    ['2024-w01', '2024-01-01', '2024-01-07'],
  ])('reads %j as %s to %s', (text, first, last) => {
    inZone('Europe/Berlin', () => expect(parseDate(text, now)).toEqual({ first, last }))
  })

  test.each([
    [0, '2024-04-28', '2024-05-04'],
    [3, '2024-05-01', '2024-05-07'],
    [4, '2024-04-25', '2024-05-01'],
  ] as const)('reads a week that starts on weekday %d as %s to %s', (weekStart, first, last) => {
    inZone('UTC', () => {
      expect(parseDate('week', now, weekStart)).toEqual({ first, last })
      expect(parseDate('2024-W18', now, weekStart)).toEqual({ first: '2024-04-29', last: '2024-05-05' })
    })
  })

  test.each([
    ['last month', '2024-01-15', '2023-12-01', '2023-12-31'],
    ['last quarter', '2024-01-15', '2023-10-01', '2023-12-31'],
    ['quarter', '2024-12-31', '2024-10-01', '2024-12-31'],
  ])('reads "%s" on %s as %s to %s', (text, today, first, last) => {
    inZone('UTC', () => expect(parseDate(text, new Date(`${today}T12:00:00Z`))).toEqual({ first, last }))
  })

  test('reads the number of a week in its ISO year', () => {
    const on = (day: string, text: string) =>
      inZone('UTC', () => parseDate(text, new Date(`${day}T12:00:00Z`)).first)
    expect(on('2024-12-29', 'w1')).toBe('2024-01-01')
    expect(on('2024-12-30', 'w1')).toBe('2024-12-30')
    expect(on('2021-01-02', 'w53')).toBe('2020-12-28')
    expect(on('2021-01-02', 'w1')).toBe('2019-12-30')
  })

  test("today is the day in the user's time zone", () => {
    const lateInUtc = new Date('2024-04-30T23:30:00Z')
    const today = (zone: string) => inZone(zone, () => parseDate('today', lateInUtc).first)
    expect([today('UTC'), today('Europe/Berlin')]).toEqual(['2024-04-30', '2024-05-01'])
  })
})

describe('parseDate of invalid text', () => {
  test.each([
    ['', 'it is empty'],
    ['2023-02-29', 'there is no day 2023-02-29'],
    ['2024-13', 'there is no month 13'],
    ['2023-W53', '2023 has no week 53'],
    ['w54', 'there is no week 54'],
    ['q5', 'there is no quarter 5'],
    ['2024-Q5', '2024 has no quarter 5'],
    ['-99999d', 'it is more than a century ago'],
    [`-${'9'.repeat(400)}w`, 'it is more than a century ago'],
    ['2024-W1', undefined],
    ['2024-5-1', undefined],
    ['20240501', undefined],
    ['2024-05-01 09:30', undefined],
    ['last', undefined],
    ['last may', undefined],
    ['q', undefined],
    ['q2 24', undefined],
    ['2023 may', undefined],
    ['-7', undefined],
    ['week ago', undefined],
  ])('rejects %j, because %s', (text, reason) => {
    const { message, hint } = inZone('UTC', () => usageErrorOf(() => parseDate(text, now)))
    expect(message).toBe(`${JSON.stringify(text)} is not a date${reason === undefined ? '' : `: ${reason}`}.`)
    expect(hint).toMatch(/2024-05-01.*yesterday.*-7d/)
  })

  test('rejects dates beyond the calendar', () => {
    inZone('UTC', () =>
      expect(usageErrorOf(() => parseDate('9999-W52', now)).message).toContain('out of range'),
    )
  })

  test('reads any text as days in order or throws a usage error', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(anyZone, anyText, anyInstant, (zone, text, at) =>
        inZone(zone, () => {
          try {
            const { first, last } = parseDate(text, at)
            expect([isDay(first), isDay(last), first <= last]).toEqual([true, true, true])
          } catch (error) {
            expect(error).toMatchObject({ name: 'TtError', code: 'usage' })
          }
        }),
      ),
      { numRuns: 2000 },
    )
  })
})
