import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTime, toRfc3339 } from '../../../../src/lib/calendar/time.js'
import { anyZone, inZone, usageErrorOf } from './zone.js'

/** A Wednesday, 14:30:20 in Berlin, with a fraction of a second that results must not contain. */
const now = new Date('2024-05-01T12:30:20.789Z')

const readIn = (zone: string, text: string, at: Date = now) =>
  inZone(zone, () => toRfc3339(parseTime(text, at)))

const refusedIn = (zone: string, text: string, at: Date = now) =>
  inZone(zone, () => usageErrorOf(() => parseTime(text, at)))

describe('parseTime across a clock change', () => {
  test.each([
    ['Europe/Berlin', '2024-03-31T01:10:00Z', '-15m', '2024-03-31T01:55:00+01:00'],
    ['Europe/Berlin', '2024-03-31T10:00:00Z', '-12h', '2024-03-30T23:00:00+01:00'],
    ['Europe/Berlin', '2024-10-27T01:10:00Z', '-15m', '2024-10-27T02:55:00+02:00'],
    ['Europe/Berlin', '2024-10-27T00:55:00Z', 'in 10m', '2024-10-27T02:05:00+01:00'],
    ['America/New_York', '2024-11-03T06:10:00Z', '15m ago', '2024-11-03T01:55:00-04:00'],
    ['Australia/Lord_Howe', '2024-10-05T15:40:00Z', '-15m', '2024-10-06T01:55:00+10:30'],
  ])('subtracts exact durations: in %s at %s, %j is %s', (zone, at, text, instant) => {
    expect(readIn(zone, text, new Date(at))).toBe(instant)
  })

  test.each([
    ['Europe/Berlin', '2024-10-27 02:30', '2024-10-27T02:30:00+02:00'],
    ['Europe/Berlin', '2024-10-27 02:00', '2024-10-27T02:00:00+02:00'],
    ['Europe/Berlin', '2024-10-27 03:00', '2024-10-27T03:00:00+01:00'],
    ['America/New_York', '2024-11-03 1:30am', '2024-11-03T01:30:00-04:00'],
    ['Australia/Lord_Howe', '2024-04-07 01:45', '2024-04-07T01:45:00+11:00'],
    ['America/Sao_Paulo', '2018-02-17 23:30', '2018-02-17T23:30:00-02:00'],
    ['Asia/Beirut', '2024-10-26 23:30', '2024-10-26T23:30:00+03:00'],
  ])('reads the first of two equal wall times: in %s, %s is %s', (zone, text, instant) => {
    expect(readIn(zone, text)).toBe(instant)
  })

  test('reads the second of two equal wall times by its offset', () => {
    expect(readIn('Europe/Berlin', '2024-10-27T02:30+01:00')).toBe('2024-10-27T02:30:00+01:00')
    expect(readIn('Australia/Lord_Howe', '2024-04-07 01:45+10:30')).toBe('2024-04-07T01:45:00+10:30')
  })

  test.each([
    ['Europe/Berlin', '2024-03-31 02:00', '2024-03-31', '03:00'],
    ['Europe/Berlin', '2024-03-31T02:59:59.999', '2024-03-31', '03:00'],
    ['America/New_York', '2024-03-10 2:30am', '2024-03-10', '03:00'],
    ['Australia/Lord_Howe', '2024-10-06 02:15', '2024-10-06', '02:30'],
    ['America/Sao_Paulo', '2018-11-04 00:30', '2018-11-04', '01:00'],
    ['America/Sao_Paulo', '2018-11-04 midnight', '2018-11-04', '01:00'],
    ['Asia/Beirut', '2024-03-31 12am', '2024-03-31', '01:00'],
    ['Pacific/Apia', '2011-12-30 12:00', '2011-12-31', '00:00'],
    ['America/Toronto', '1919-03-30 23:45', '1919-03-31', '00:30'],
  ])(
    'rejects a skipped wall time: in %s, the first time after %s is on %s at %s',
    (zone, text, day, clock) => {
      const { message, hint } = refusedIn(zone, text)
      expect(message).toContain(
        `"${text}" does not exist: the clocks go forward over it on ${text.slice(0, 10)}.`,
      )
      expect(message).toContain(`The next time that exists is ${clock}`)
      expect(hint).toBe(`Use "${day} ${clock}".`)
      expect(readIn(zone, `${day} ${clock}`).slice(0, 16)).toBe(`${day}T${clock}`)
    },
  )

  test('rejects a clock time without a date that today skips', () => {
    const at = new Date('2024-03-31T10:00:00Z')
    expect(refusedIn('Europe/Berlin', '2:30', at).message).toBe(
      '"2:30" does not exist: the clocks go forward over it on 2024-03-31. ' +
        'The next time that exists is 03:00.',
    )
    expect(readIn('Europe/Berlin', '1:59', at)).toBe('2024-03-31T01:59:00+01:00')
    expect(readIn('Europe/Berlin', '3:00', at)).toBe('2024-03-31T03:00:00+02:00')
  })

  test('rejects exactly the wall times that never occur, and reads all others unchanged', {
    tags: 'slow',
  }, () => {
    const fromMs = Date.parse('1980-01-01T00:00:00Z')
    const anyMinute = fc.oneof(
      fc.integer({ min: 0, max: 60 * 365 * 1440 }).map((minutes) => fromMs + minutes * 60_000),
      // Around clock changes.
      fc
        .tuple(
          fc.constantFrom('2024-03-31', '2024-10-27', '2024-10-06', '2018-11-04', '2011-12-30', '2010-11-07'),
          fc.integer({ min: -1440, max: 2880 }),
        )
        .map(([day, minutes]) => Date.parse(day) + minutes * 60_000),
    )
    fc.assert(
      fc.property(anyZone, anyMinute, (zone, wallMs) =>
        inZone(zone, () => {
          const text = new Date(wallMs).toISOString().slice(0, 16)
          const showing = (instant: Date) => toRfc3339(instant).slice(0, 16)
          try {
            expect(showing(parseTime(text, now))).toBe(text)
          } catch (error) {
            expect(error).toMatchObject({ name: 'TtError', code: 'usage' })
            // One millisecond earlier is before the skipped time.
            const named = /Use "(.*)"/.exec(String(Reflect.get(Object(error), 'hint')))?.[1] ?? ''
            const first = parseTime(named, now)
            expect(showing(first) > text).toBe(true)
            expect(showing(new Date(first.getTime() - 1)) < text).toBe(true)
          }
        }),
      ),
      { numRuns: 2000 },
    )
  })
})
