import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatTime, parseTime, toRfc3339 } from '../../../../src/lib/calendar/time.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { anyInstant, anyText, anyZone, inZone } from './zone.js'

/** A Wednesday, 14:30:20 in Berlin, with a fraction of a second that results must not contain. */
const now = new Date('2024-05-01T12:30:20.789Z')

const readIn = (zone: string, text: string, at: Date = now) =>
  inZone(zone, () => toRfc3339(parseTime(text, at)))

const errorIn = (zone: string, text: string, at: Date = now) =>
  inZone(zone, () => usageErrorOf(() => parseTime(text, at)))

describe('parseTime', () => {
  test.each([
    ['now', '2024-05-01T14:30:20+02:00'],
    ['09:30:15', '2024-05-01T09:30:15+02:00'],
    ['23:59', '2024-05-01T23:59:00+02:00'],
    ['930', '2024-05-01T09:30:00+02:00'],
    ['2024', '2024-05-01T20:24:00+02:00'],
    ['9am', '2024-05-01T09:00:00+02:00'],
    ['9 am', '2024-05-01T09:00:00+02:00'],
    ['9:30pm', '2024-05-01T21:30:00+02:00'],
    ['12am', '2024-05-01T00:00:00+02:00'],
    ['12pm', '2024-05-01T12:00:00+02:00'],
    ['noon', '2024-05-01T12:00:00+02:00'],
    ['midnight', '2024-05-01T00:00:00+02:00'],
    [' 9:30 ', '2024-05-01T09:30:00+02:00'],
    ['-15m', '2024-05-01T14:15:20+02:00'],
    ['-1:30', '2024-05-01T13:00:20+02:00'],
    ['+10m', '2024-05-01T14:40:20+02:00'],
    ['1h 30m ago', '2024-05-01T13:00:20+02:00'],
    ['yesterday 5:15 pm', '2024-04-30T17:15:00+02:00'],
    ['last wed 9:00', '2024-04-24T09:00:00+02:00'],
    ['2024-05-01 09:30', '2024-05-01T09:30:00+02:00'],
    ['2024-01-05 9am', '2024-01-05T09:00:00+01:00'],
    ['2024-05-01T09:30:15', '2024-05-01T09:30:15+02:00'],
    ['2024-05-01T09:30:15.25', '2024-05-01T09:30:15.250+02:00'],
    ['2024-05-01T09:30Z', '2024-05-01T11:30:00+02:00'],
    ['2024-05-01T09:30:00-05:30', '2024-05-01T17:00:00+02:00'],
    ['2024-05-01T00:30:00+14:00', '2024-04-30T12:30:00+02:00'],
    ['2024-05-01T09:30:00.123999Z', '2024-05-01T11:30:00.123+02:00'],
  ])('reads %j in Berlin as %s', (text, instant) => {
    expect(readIn('Europe/Berlin', text)).toBe(instant)
  })

  test("today is the day in the user's time zone", () => {
    const lateInUtc = new Date('2024-05-01T23:30:00Z')
    expect(readIn('UTC', '9:00', lateInUtc)).toBe('2024-05-01T09:00:00+00:00')
    expect(readIn('Europe/Berlin', '9:00', lateInUtc)).toBe('2024-05-02T09:00:00+02:00')
    expect(readIn('America/New_York', 'yesterday 9:00', lateInUtc)).toBe('2024-04-30T09:00:00-04:00')
    expect(readIn('Pacific/Apia', 'thu 9:00', lateInUtc)).toBe('2024-05-02T09:00:00+13:00')
  })

  test('yesterday is the previous calendar day, even if the time zone skipped it', () => {
    const afterTheSkip = new Date('2011-12-30T20:00:00Z')
    expect(readIn('Pacific/Apia', '9:00', afterTheSkip)).toBe('2011-12-31T09:00:00+14:00')
    expect(errorIn('Pacific/Apia', 'yesterday 9:00', afterTheSkip).message).toBe(
      '"yesterday 9:00" does not exist: the clocks go forward over it on 2011-12-30. ' +
        'The next time that exists is 00:00 on 2011-12-31.',
    )
  })
})

describe('parseTime across a clock change', () => {
  test.each([
    ['Europe/Berlin', '2024-03-31T01:10:00Z', '-15m', '2024-03-31T01:55:00+01:00'],
    ['Europe/Berlin', '2024-10-27T00:55:00Z', 'in 10m', '2024-10-27T02:05:00+01:00'],
  ])('adds and subtracts exact durations: in %s at %s, %j is %s', (zone, at, text, instant) => {
    expect(readIn(zone, text, new Date(at))).toBe(instant)
  })

  test.each([
    ['Europe/Berlin', '2024-10-27 02:30', '2024-10-27T02:30:00+02:00'],
    ['Europe/Berlin', '2024-10-27 02:00', '2024-10-27T02:00:00+02:00'],
    ['Europe/Berlin', '2024-10-27 03:00', '2024-10-27T03:00:00+01:00'],
    ['Australia/Lord_Howe', '2024-04-07 01:45', '2024-04-07T01:45:00+11:00'],
    ['America/Sao_Paulo', '2018-02-17 23:30', '2018-02-17T23:30:00-02:00'],
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
    ['Australia/Lord_Howe', '2024-10-06 02:15', '2024-10-06', '02:30'],
    ['America/Sao_Paulo', '2018-11-04 00:30', '2018-11-04', '01:00'],
    ['Pacific/Apia', '2011-12-30 12:00', '2011-12-31', '00:00'],
    ['America/Toronto', '1919-03-30 23:45', '1919-03-31', '00:30'],
  ])(
    'rejects a skipped wall time: in %s, the first time after %s is on %s at %s',
    (zone, text, day, clock) => {
      const { message, hint } = errorIn(zone, text)
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
    expect(errorIn('Europe/Berlin', '2:30', at).message).toBe(
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

describe('parseTime of invalid text', () => {
  test.each([
    ['', 'it is empty'],
    ['24:00', 'there is no hour 24'],
    ['9:30:60', 'there is no second 60'],
    ['960', 'there is no minute 60'],
    ['13pm', 'before pm the hour goes from 1 to 12'],
    ['2023-02-30T09:00', 'there is no day 2023-02-30'],
    ['2024-05-01T24:00:00Z', 'there is no hour 24'],
    ['2024-05-01T09:30:00+24:00', 'there is no offset +24:00'],
    ['2024-05-01T09:30:00-01:60', 'there is no offset -01:60'],
    ['2024-05-01', 'the time of day is missing'],
    ['9:30 tomorrowish', '"tomorrowish" cannot follow a time of day'],
    ['last monday at', '"at" is not a time of day'],
    ['someday 9:30', 'there is no day "someday"'],
    ['-15', '"15" is not a duration: the unit is missing'],
    ['-15m ago', '"15m ago" is not a duration'],
    ['a while ago', '"a while" is not a duration'],
    ['-', undefined],
    ['15m', undefined],
    ['9:3', undefined],
    ['012:15', undefined],
    ['093015', undefined],
    ['2024-05-01T9am', undefined],
    ['2024-05-01T09:30:00+0200', undefined],
    ['2024-05-01T09:30:00.Z', undefined],
    ['2024-05-01T09:30.5Z', undefined],
  ])('rejects %j, because %s', (text, reason) => {
    const { message } = errorIn('Europe/Berlin', text)
    const start = `${JSON.stringify(text)} is not a time`
    expect(message.startsWith(reason === undefined ? `${start}.` : `${start}: ${reason}`)).toBe(true)
  })

  test('suggests valid forms in the hint', () => {
    expect(errorIn('UTC', '25:00').hint).toMatch(/9:30.*-15m.*yesterday 17:00/)
  })

  test('reads any text or throws a usage error', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(anyZone, anyText, anyInstant, (zone, text, at) =>
        inZone(zone, () => {
          try {
            expect(parseTime(text, at).getTime()).not.toBeNaN()
          } catch (error) {
            expect(error).toMatchObject({ name: 'TtError', code: 'usage' })
          }
        }),
      ),
      { numRuns: 2000 },
    )
  })
})

describe('formatTime and toRfc3339', () => {
  test.each([
    ['UTC', '2024-05-01T09:30:00Z', '09:30', '2024-05-01T09:30:00+00:00'],
    ['Europe/Berlin', '2024-05-01T07:30:00Z', '09:30', '2024-05-01T09:30:00+02:00'],
    ['America/New_York', '2024-12-01T07:30:05Z', '02:30', '2024-12-01T02:30:05-05:00'],
    ['America/St_Johns', '2024-12-01T07:30:00.007Z', '04:00', '2024-12-01T04:00:00.007-03:30'],
  ])('in %s, format %s as %s and %s', (zone, instant, short, long) => {
    inZone(zone, () => {
      expect(formatTime(new Date(instant))).toBe(short)
      expect(toRfc3339(new Date(instant))).toBe(long)
    })
  })

  test('formatTime adds the date of another day', () => {
    inZone('Europe/Berlin', () => {
      expect(formatTime(new Date('2024-05-01T07:30:00Z'), now)).toBe('09:30')
      expect(formatTime(new Date('2024-04-30T22:00:00Z'), now)).toBe('00:00')
      expect(formatTime(new Date('2024-04-30T21:59:00Z'), now)).toBe('2024-04-30 23:59')
    })
  })

  test('parseTime reads the result of toRfc3339 to the millisecond in any time zone', () => {
    fc.assert(
      fc.property(anyZone, anyZone, anyInstant, (writer, reader, instant) => {
        const text = inZone(writer, () => toRfc3339(instant))
        expect(inZone(reader, () => parseTime(text, now))).toEqual(instant)
      }),
      { numRuns: 1000 },
    )
  })
})

test('parseTime applies the default day to a clock time without a date', () => {
  const now = new Date('2024-05-10T12:00:00')
  expect(parseTime('9:30', now, '2024-05-01')).toEqual(new Date('2024-05-01T09:30:00'))
  expect(parseTime('yesterday 9:30', now, '2024-05-01')).toEqual(new Date('2024-05-09T09:30:00'))
  expect(parseTime('-15m', now, '2024-05-01')).toEqual(new Date('2024-05-10T11:45:00'))
})
