import { describe, expect, test } from 'vitest'
import { parseCalendar } from '../../../../src/config/settings/icalendar.js'
import { inZone } from '../../lib/calendar/zone.js'

/** Returns the days of the year in a calendar with these events; an event is given by its lines. */
function days(year: number, ...events: string[]): string[] {
  const wrapped = events.map((lines) => `BEGIN:VEVENT\n${lines}\nEND:VEVENT`)
  return daysOfText(year, `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:test\n${wrapped.join('\n')}\nEND:VCALENDAR\n`)
}

function daysOfText(year: number, text: string): string[] {
  return [...parseCalendar(text.replaceAll('\n', '\r\n'))(year)].sort()
}

const allDay = (first: string, end?: string) =>
  `DTSTART;VALUE=DATE:${first}${end ? `\nDTEND;VALUE=DATE:${end}` : ''}`

describe('an all-day event', () => {
  test('starts on its first day and ends before its end day', () => {
    expect(days(2024, allDay('20240501'))).toEqual(['2024-05-01'])
    expect(days(2024, allDay('20240501', '20240501'))).toEqual(['2024-05-01'])
    expect(days(2024, allDay('20240501', '20240504'))).toEqual(['2024-05-01', '2024-05-02', '2024-05-03'])
    expect(days(2024, `${allDay('20240501')}\nDURATION:P2D`)).toEqual(['2024-05-01', '2024-05-02'])
  })

  test('over New Year belongs to both years', () => {
    const event = allDay('20241230', '20250102')
    expect(days(2024, event)).toEqual(['2024-12-30', '2024-12-31'])
    expect(days(2025, event)).toEqual(['2025-01-01'])
    expect(days(2026, event)).toEqual([])
  })

  test('is the same day in every time zone', () => {
    for (const zone of ['Pacific/Apia', 'America/Sao_Paulo', 'UTC'])
      inZone(zone, () => expect(days(2018, allDay('20181104'))).toEqual(['2018-11-04']))
  })
})

describe('an event with times', () => {
  test('includes every day it touches, but not the day that starts at its end', () => {
    expect(days(2024, 'DTSTART:20240501T220000\nDTEND:20240502T000000')).toEqual(['2024-05-01'])
    expect(days(2024, 'DTSTART:20240501T220000\nDTEND:20240502T000001')).toEqual(['2024-05-01', '2024-05-02'])
    expect(days(2024, 'DTSTART:20240501T090000')).toEqual(['2024-05-01'])
  })

  test("is on the days of the user's time zone", () => {
    const event = 'DTSTART:20231231T230000Z\nDTEND:20240101T010000Z'
    inZone('Europe/Berlin', () => expect(days(2024, event)).toEqual(['2024-01-01']))
    inZone('America/New_York', () => expect(days(2023, event)).toEqual(['2023-12-31']))
  })

  test('is read in the time zone of the file', () => {
    const zone = [
      'BEGIN:VTIMEZONE\nTZID:Far\nBEGIN:STANDARD\nDTSTART:19700101T000000',
      'TZOFFSETFROM:+1200\nTZOFFSETTO:+1200\nEND:STANDARD\nEND:VTIMEZONE',
    ].join('\n')
    const event = 'BEGIN:VEVENT\nDTSTART;TZID=Far:20240501T010000\nDTEND;TZID=Far:20240501T020000\nEND:VEVENT'
    inZone('Europe/Berlin', () =>
      expect(daysOfText(2024, `BEGIN:VCALENDAR\n${zone}\n${event}\nEND:VCALENDAR`)).toEqual(['2024-04-30']),
    )
  })
})

describe('a repeating event', () => {
  const christmas = `${allDay('20001225', '20001227')}\nRRULE:FREQ=YEARLY`

  test('occurs each year from the first', () => {
    expect(days(2024, christmas)).toEqual(['2024-12-25', '2024-12-26'])
    expect(days(2100, christmas)).toEqual(['2100-12-25', '2100-12-26'])
    expect(days(1999, christmas)).toEqual([])
  })

  test('follows its rule to its end', () => {
    const thanksgiving = `${allDay('20201126')}\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;UNTIL=20241231`
    expect(days(2024, thanksgiving)).toEqual(['2024-11-28'])
    expect(days(2025, thanksgiving)).toEqual([])
    expect(days(2021, `${allDay('20200101')}\nRRULE:FREQ=YEARLY;COUNT=2`)).toEqual(['2021-01-01'])
    expect(days(2022, `${allDay('20200101')}\nRRULE:FREQ=YEARLY;COUNT=2`)).toEqual([])
  })

  test('omits each of its exceptions', () => {
    const dates = ['20230101', '20231225', '20240101', '20241225'].map((day) => `EXDATE;VALUE=DATE:${day}`)
    expect(days(2023, `${christmas}\n${dates.join('\n')}`)).toEqual([])
    expect(days(2024, `${christmas}\n${dates.join('\n')}`)).toEqual([])
    expect(days(2025, `${christmas}\n${dates.join('\n')}`)).toEqual(['2025-12-25', '2025-12-26'])
  })

  test('includes additional and moved dates, and omits cancelled ones', () => {
    const series = `UID:a\n${allDay('20240101')}\nRRULE:FREQ=YEARLY\nRDATE;VALUE=DATE:20240606`
    expect(days(2024, series)).toEqual(['2024-01-01', '2024-06-06'])
    const moved = `UID:a\nRECURRENCE-ID;VALUE=DATE:20250101\n${allDay('20250102')}`
    expect(days(2025, series, moved)).toEqual(['2025-01-02'])
    expect(days(2025, series, `${moved}\nSTATUS:CANCELLED`)).toEqual([])
    expect(days(2025, series, moved.replace('UID:a', 'UID:b'))).toEqual(['2025-01-01'])
  })

  test('is rejected when it repeats too often', { tags: 'slow' }, () => {
    expect(() => days(2024, 'DTSTART:20240101T000000\nRRULE:FREQ=SECONDLY\nSUMMARY:tick')).toThrow(
      '"tick" repeats too often',
    )
  })
})

test('returns years in any order, also for an event of several years', () => {
  const text = `BEGIN:VCALENDAR\nBEGIN:VEVENT\n${allDay('20001224')}\nRRULE:FREQ=YEARLY\nEND:VEVENT\n`
  const inYear = parseCalendar(
    `${text}BEGIN:VEVENT\n${allDay('20101231', '20140102')}\nEND:VEVENT\nEND:VCALENDAR`,
  )
  for (const [year, count] of [
    [2020, 1],
    [2010, 2],
    [2013, 365],
    [2030, 1],
    [2014, 2],
    [1999, 0],
  ] as const)
    expect([year, inYear(year).size]).toEqual([year, count])
})

test('ignores a cancelled event', () => {
  for (const word of ['CANCELLED', 'cancelled'])
    expect(days(2024, `${allDay('20240501')}\nSTATUS:${word}`)).toEqual([])
})

test('ignores transparent events, unless all events are transparent', () => {
  const free = `${allDay('20240501')}\nTRANSP:TRANSPARENT`
  expect(days(2024, free, allDay('20240502'))).toEqual(['2024-05-02'])
  expect(days(2024, free, `${allDay('20240502')}\nTRANSP:OPAQUE`)).toEqual(['2024-05-02'])
  expect(days(2024, free)).toEqual(['2024-05-01'])
})

test('combines several calendars of one file, and returns no days without events', () => {
  const calendar = (day: string) =>
    `BEGIN:VCALENDAR\nBEGIN:VEVENT\n${allDay(day)}\nEND:VEVENT\nEND:VCALENDAR\n`
  expect(daysOfText(2024, calendar('20240501') + calendar('20240502'))).toEqual(['2024-05-01', '2024-05-02'])
  expect(daysOfText(2024, 'BEGIN:VCALENDAR\nEND:VCALENDAR\n')).toEqual([])
})

test.each(['', 'hello', '{"a": 1}', 'BEGIN:VCALENDAR\n', 'BEGIN:VCARD\nEND:VCARD\n'])(
  'rejects %j as iCalendar',
  (text) => {
    expect(() => parseCalendar(text)).toThrow(Error)
  },
)

test('rejects an event without a start', () => {
  expect(() => days(2024, 'SUMMARY:when')).toThrow(Error)
})
