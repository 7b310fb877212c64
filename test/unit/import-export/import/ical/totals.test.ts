import { expect, test } from 'vitest'
import { inZoneAsync } from '../../../lib/calendar/zone.js'
import { read } from '../read.js'

/** The zone of the rules for 2024 in Berlin, under a name that only the calendar defines. */
const definedZone = `BEGIN:VTIMEZONE
TZID:Our office
BEGIN:STANDARD
DTSTART:20001029T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:20000326T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE`

const event = (lines: string) => `BEGIN:VEVENT\nUID:u\n${lines.trim()}\nEND:VEVENT`

/**
 * Small calendars of the kinds that programs write, with the number, the minutes and the first and last start of the entries
 * from 2024-01-01 to 2024-12-31, and the number of skipped events by reason.
 */
const cases: [title: string, calendar: string, total: string, skipped?: Record<string, number>][] = [
  [
    'a globally unique name with an IANA name',
    event('DTSTART;TZID=/mozilla.org/20070129_1/America/Argentina/Salta:20240501T080000\nDURATION:PT45M'),
    '1: 45m, 2024-05-01T11:00',
  ],
  [
    'a fixed offset',
    event('DTSTART;TZID="GMT+0530":20240501T080000\nDURATION:PT45M'),
    '1: 45m, 2024-05-01T02:30',
  ],
  [
    'a zone that the calendar defines',
    `${definedZone}\n${event('DTSTART;TZID=Our office:20240301T080000\nDURATION:PT1H\nRRULE:FREQ=MONTHLY;COUNT=2')}`,
    '2: 120m, 2024-03-01T07:00 – 2024-04-01T06:00',
  ],
  [
    'a display name in winter and in summer',
    event(
      `DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20240201T080000
DTEND;TZID="(UTC-05:00) Eastern Time (US & Canada)":20240201T090000
RRULE:FREQ=MONTHLY;INTERVAL=5;COUNT=2`,
    ),
    '2: 120m, 2024-02-01T13:00 – 2024-07-01T12:00',
  ],
  [
    'a folded display name without quotation marks',
    event(`DTSTART;TZID=(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vi
 enna:20240701T080000\nDURATION:PT1H`),
    '1: 60m, 2024-07-01T06:00',
  ],
  [
    'UTC as Exchange names it',
    event('DTSTART;TZID="tzone://Microsoft/Utc":20240701T080000\nDURATION:PT1H'),
    '1: 60m, 2024-07-01T08:00',
  ],
  [
    'a start and an end in different zones',
    event('DTSTART;TZID=Europe/Berlin:20240501T080000\nDTEND;TZID=Europe/London:20240501T080000'),
    '1: 60m, 2024-05-01T06:00',
  ],
  [
    'of versions of an event, the one with the highest SEQUENCE, in any order',
    [
      event('SEQUENCE:1\nDTSTART:20240501T080000Z\nDURATION:PT1H'),
      event('SEQUENCE:10\nDTSTART:20240502T080000Z\nDURATION:PT2H'),
      event('DTSTART:20240503T080000Z\nDURATION:PT3H'),
    ].join('\n'),
    '1: 120m, 2024-05-02T08:00',
    { 'earlier versions of events': 2 },
  ],
  [
    'of versions with equal SEQUENCE, the one with the last DTSTAMP',
    [
      event('DTSTAMP:20240402T080000Z\nDTSTART:20240502T080000Z\nDURATION:PT2H'),
      event('DTSTAMP:20240401T080000Z\nDTSTART:20240501T080000Z\nDURATION:PT1H'),
    ].join('\n'),
    '1: 120m, 2024-05-02T08:00',
    { 'earlier versions of events': 1 },
  ],
  [
    'a later version that cancels the event',
    [
      event('DTSTART:20240501T080000Z\nDURATION:PT1H'),
      event('SEQUENCE:1\nSTATUS:CANCELLED\nDTSTART:20240501T080000Z\nDURATION:PT1H'),
    ].join('\n'),
    '0: 0m',
    { 'cancelled events': 1, 'earlier versions of events': 1 },
  ],
  [
    'IDs of alarms are not those of events',
    event(
      'BEGIN:VALARM\nUID:u\nSEQUENCE:9\nTRIGGER:-PT5M\nEND:VALARM\nDTSTART:20240501T080000Z\nDURATION:PT1H',
    ),
    '1: 60m, 2024-05-01T08:00',
  ],
  [
    'of changes of an occurrence, the one with the highest SEQUENCE, in any order',
    [
      event('RECURRENCE-ID:20240502T080000Z\nSEQUENCE:2\nDTSTART:20240502T100000Z\nDURATION:PT2H'),
      event('RECURRENCE-ID:20240502T080000Z\nSEQUENCE:1\nDTSTART:20240502T110000Z\nDURATION:PT3H'),
      event('DTSTART:20240501T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3'),
    ].join('\n'),
    '3: 240m, 2024-05-01T08:00 – 2024-05-03T08:00',
    { 'earlier versions of events': 1 },
  ],
  [
    'of changes of a missing event, the one with the highest SEQUENCE',
    [
      event('RECURRENCE-ID:20240502T080000Z\nSEQUENCE:2\nDTSTART:20240502T100000Z\nDURATION:PT2H'),
      event('RECURRENCE-ID:20240502T080000Z\nSEQUENCE:1\nDTSTART:20240502T110000Z\nDURATION:PT3H'),
      event('RECURRENCE-ID:20240503T080000Z\nDTSTART:20240503T110000Z\nDURATION:PT3H'),
    ].join('\n'),
    '2: 300m, 2024-05-02T10:00 – 2024-05-03T11:00',
    { 'earlier versions of events': 1 },
  ],
  [
    'a change that names its occurrence in UTC, of an event with a Windows name',
    [
      event('DTSTART;TZID=W. Europe Standard Time:20240501T080000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3'),
      event('RECURRENCE-ID:20240502T060000Z\nDTSTART:20240502T100000Z\nDURATION:PT2H'),
    ].join('\n'),
    '3: 240m, 2024-05-01T06:00 – 2024-05-03T06:00',
  ],
  [
    'a change of a date of an event with a time',
    [
      event('DTSTART:20240501T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3'),
      event('RECURRENCE-ID;VALUE=DATE:20240502\nSTATUS:CANCELLED\nDTSTART:20240502T100000Z'),
    ].join('\n'),
    '2: 120m, 2024-05-01T08:00 – 2024-05-03T08:00',
    { 'cancelled events': 1 },
  ],
  [
    'RDATE with a rule, each time once',
    event(
      'DTSTART:20240501T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2\nRDATE:20240502T080000Z,20240510T080000Z',
    ),
    '3: 180m, 2024-05-01T08:00 – 2024-05-10T08:00',
  ],
  [
    'RDATE in another zone than the start',
    event('DTSTART:20240501T080000Z\nDURATION:PT1H\nRDATE;TZID=Tokyo Standard Time:20240510T090000'),
    '2: 120m, 2024-05-01T08:00 – 2024-05-10T00:00',
  ],
  [
    'RDATE with dates, which have the time of the start',
    event('DTSTART;TZID=Europe/Berlin:20240301T090000\nDURATION:PT1H\nRDATE;VALUE=DATE:20240701'),
    '2: 120m, 2024-03-01T08:00 – 2024-07-01T07:00',
  ],
  [
    'RDATE with periods, which have their own lengths, in the zone of the calendar and of Windows',
    `${definedZone}\n${event(
      `DTSTART;TZID=Our office:20240701T080000\nDURATION:PT1H
RDATE;VALUE=PERIOD;TZID=Our office:20240702T080000/20240702T100000
RDATE;VALUE=PERIOD;TZID=Tokyo Standard Time:20240703T090000/PT15M`,
    )}`,
    '3: 195m, 2024-07-01T06:00 – 2024-07-03T00:00',
  ],
  [
    'two rules, each time once',
    event('DTSTART:20240501T080000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3\nRRULE:FREQ=WEEKLY;COUNT=2'),
    '4: 240m, 2024-05-01T08:00 – 2024-05-08T08:00',
  ],
  [
    'EXDATE as a time, a date, and a time in another zone',
    event(
      `DTSTART;TZID=W. Europe Standard Time:20240501T080000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=6
EXDATE;TZID=W. Europe Standard Time:20240502T080000,20240503T080000
EXDATE;VALUE=DATE:20240504
EXDATE:20240505T060000Z`,
    ),
    '2: 120m, 2024-05-01T06:00 – 2024-05-06T06:00',
  ],
  [
    'EXDATE of a time of RDATE',
    event('DTSTART:20240501T080000Z\nDURATION:PT1H\nRDATE:20240510T080000Z\nEXDATE:20240510T080000Z'),
    '1: 60m, 2024-05-01T08:00',
  ],
  [
    'events of whole days, once or repeated',
    `${event('DTSTART;VALUE=DATE:20240501')}\n${event(
      'DTSTART;VALUE=DATE:20240502\nRRULE:FREQ=DAILY\nRDATE;VALUE=DATE:20240701',
    ).replace('UID:u', 'UID:v')}`,
    '0: 0m',
    { 'events of whole days': 2 },
  ],
  [
    'a night when clocks go forward, in a Windows zone',
    event(
      `DTSTART;TZID=W. Europe Standard Time:20240330T230000
DTEND;TZID=W. Europe Standard Time:20240331T060000`,
    ),
    '1: 360m, 2024-03-30T22:00',
  ],
  [
    'a night when clocks go back, in a zone that the calendar defines',
    `${definedZone}\n${event('DTSTART;TZID=Our office:20241026T230000\nDTEND;TZID=Our office:20241027T060000')}`,
    '1: 480m, 2024-10-26T21:00',
  ],
  [
    'working days of a year, at the same local time in winter and in summer',
    event(
      `DTSTART;TZID="(UTC-05:00) Eastern Time (US & Canada)":20240101T090000
DTEND;TZID="(UTC-05:00) Eastern Time (US & Canada)":20240101T170000
RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20241231T235959Z`,
    ),
    '262: 125760m, 2024-01-01T14:00 – 2024-12-31T14:00',
  ],
]

const calendarOf = (lines: string) => `BEGIN:VCALENDAR\n${lines}\nEND:VCALENDAR\n`

test.each(cases)('%s', async (_, calendar, total, reasons = {}) => {
  const period = { since: new Date('2024-01-01T00:00:00Z'), until: new Date('2025-01-01T00:00:00Z') }
  const rows = await inZoneAsync('America/New_York', () => read('ical', calendarOf(calendar), period))
  const found = rows.filter((row) => row.kind === 'entry')
  const starts = found.map(({ start }) => start.toISOString().slice(0, 16)).sort()
  const span = [...new Set([starts[0], starts.at(-1)])].join(' – ')
  const minutes = found.reduce((sum, { start, end }) => sum + (Number(end) - Number(start)) / 60_000, 0)
  const skipped: Record<string, number> = {}
  for (const row of rows) if (row.kind === 'skipped') skipped[row.reason] = (skipped[row.reason] ?? 0) + 1
  expect(rows.filter(({ kind }) => kind === 'invalid')).toEqual([])
  expect([`${found.length}: ${minutes}m${span && `, ${span}`}`, skipped]).toEqual([total, reasons])
})

test('EXRULE is reported', async () => {
  const rule = 'RRULE:FREQ=DAILY;COUNT=3\nEXRULE:FREQ=DAILY;COUNT=1'
  const text = calendarOf(event(`SUMMARY:Talk\nDTSTART:20240501T080000Z\n${rule}`))
  const expectation = 'an event without EXRULE, which RFC 5545 has removed'
  expect(await read('ical', text)).toMatchObject([{ kind: 'invalid', value: 'Talk', expectation }])
})

test('a display name that is not of Windows is reported, not read as a fixed offset', async () => {
  const text = calendarOf(event('DTSTART;TZID="(UTC-05:00) Nowhere":20240501T080000\nDURATION:PT1H'))
  const problem = { kind: 'invalid', value: '(UTC-05:00) Nowhere', field: 'TZID' }
  expect(await read('ical', text)).toMatchObject([problem])
})
