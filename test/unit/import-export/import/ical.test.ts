import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inZoneAsync } from '../../lib/calendar/zone.js'
import { anyEntry, exported, restorable, restored } from './random-entries.js'
import { detected, entries, fixture, texts } from './read.js'

test('events have times in any zone, summaries and categories', async () => {
  expect(await texts('ical', fixture('calendar.ics'))).toEqual([
    '4: 2024-05-01T13:30Z – 2024-05-01T14:30Z #Acme #front end Fix the logo, again and again and again and again and again and again',
    '18: 2024-05-02T08:00Z – 2024-05-02T09:30Z In UTC',
    '24: 2024-05-03T07:00Z – 2024-05-03T08:00Z Floating',
    '30: skipped: events of whole days',
    '35: skipped: cancelled events',
    '42: 2024-03-25T08:00Z – 2024-03-25T08:30Z Weekly',
    '42: 2024-04-02T08:00Z – 2024-04-02T09:00Z Weekly, moved',
    '42: skipped: cancelled events',
    '42: 2024-04-22T07:00Z – 2024-04-22T07:30Z Weekly',
    '65: skipped: events without a duration',
  ])
})

test('each occurrence of an event has an ID that does not depend on its time', async () => {
  const ids = (await entries('ical', fixture('calendar.ics'))).map(({ sourceId }) => sourceId)
  expect(ids).toEqual([
    'one@example.com',
    'two@example.com',
    'three@example.com',
    'six@example.com/2024-03-25T09:00:00',
    'six@example.com/2024-04-01T09:00:00',
    'six@example.com/2024-04-22T09:00:00',
  ])
})

/** Returns a calendar with these events, each given by its lines. */
const calendar = (...events: string[]) =>
  [
    'BEGIN:VCALENDAR',
    ...events.flatMap((lines) => ['BEGIN:VEVENT', lines, 'END:VEVENT']),
    'END:VCALENDAR',
  ].join('\n')

const hour = (start: string) => `UID:u\nDTSTART:${start}\nDURATION:PT1H`

describe('the period', () => {
  const daily = calendar(`${hour('20240501T080000Z')}\nRRULE:FREQ=DAILY`)

  test('bounds events that repeat without end', async () => {
    const period = { since: new Date('2024-05-02T08:00:00Z'), until: new Date('2024-05-04T08:00:00Z') }
    expect(await texts('ical', daily, period)).toEqual([
      '2: 2024-05-02T08:00Z – 2024-05-02T09:00Z',
      '2: 2024-05-03T08:00Z – 2024-05-03T09:00Z',
    ])
  })

  test('ends now without another end', async () => {
    expect(await texts('ical', daily, { now: new Date('2024-05-02T09:00:00Z') })).toEqual([
      '2: 2024-05-01T08:00Z – 2024-05-01T09:00Z',
      '2: 2024-05-02T08:00Z – 2024-05-02T09:00Z',
    ])
  })

  test('contains changed occurrences that are moved into it', async () => {
    const moved = `${hour('20240502T120000Z')}\nRECURRENCE-ID:20240504T080000Z`
    const text = calendar(`${hour('20240501T080000Z')}\nRRULE:FREQ=DAILY`, moved)
    expect(await texts('ical', text, { now: new Date('2024-05-03T00:00:00Z') })).toEqual([
      '2: 2024-05-01T08:00Z – 2024-05-01T09:00Z',
      '2: 2024-05-02T08:00Z – 2024-05-02T09:00Z',
      '2: 2024-05-02T12:00Z – 2024-05-02T13:00Z',
    ])
  })

  test('does not count the occurrences of whole days and cancelled events', async () => {
    const text = calendar(
      'UID:a\nDTSTART;VALUE=DATE:20240501\nRRULE:FREQ=DAILY',
      `${hour('20240501T080000Z')}\nRRULE:FREQ=DAILY\nSTATUS:CANCELLED`,
    )
    expect(await texts('ical', text)).toEqual([
      '2: skipped: events of whole days',
      '7: skipped: cancelled events',
    ])
  })

  test('applies to single events, which are counted as skipped', async () => {
    const text = calendar(hour('20240501T080000Z'), hour('20240601T080000Z'))
    expect(await texts('ical', text, { now: new Date('2024-05-15T00:00:00Z') })).toEqual([
      '2: 2024-05-01T08:00Z – 2024-05-01T09:00Z',
      '7: skipped: events outside the period',
    ])
  })
})

describe('where clocks change', () => {
  const berlin = (text: string) => inZoneAsync('America/New_York', () => texts('ical', text))

  test('a repeated event keeps its local time and its exact length', async () => {
    const event = [
      'UID:u',
      'DTSTART;TZID=Europe/Berlin:20240330T010000',
      'DTEND;TZID=Europe/Berlin:20240330T050000',
      'RRULE:FREQ=DAILY;COUNT=3',
    ].join('\n')
    expect(await berlin(calendar(event))).toEqual([
      '2: 2024-03-30T00:00Z – 2024-03-30T04:00Z',
      '2: 2024-03-31T00:00Z – 2024-03-31T04:00Z',
      '2: 2024-03-31T23:00Z – 2024-04-01T03:00Z',
    ])
  })

  test('a duration in hours is exact, one in days is nominal', async () => {
    const start = 'UID:u\nDTSTART;TZID=Europe/Berlin:20240330T120000'
    expect(await berlin(calendar(`${start}\nDURATION:PT24H`, `${start}\nDURATION:P1D`))).toEqual([
      '2: 2024-03-30T11:00Z – 2024-03-31T11:00Z',
      '7: 2024-03-30T11:00Z – 2024-03-31T10:00Z',
    ])
  })

  test('a time that occurs twice is the first one', async () => {
    const event =
      'UID:u\nDTSTART;TZID=Europe/Berlin:20241027T023000\nDTEND;TZID=Europe/Berlin:20241027T033000'
    expect(await berlin(calendar(event))).toEqual(['2: 2024-10-27T00:30Z – 2024-10-27T02:30Z'])
  })
})

test('a change of an event that is not in the file is an event', async () => {
  const text = calendar(`${hour('20240501T080000Z')}\nRECURRENCE-ID:20240502T080000Z\nSUMMARY:Moved`)
  expect(await texts('ical', text)).toEqual(['2: 2024-05-01T08:00Z – 2024-05-01T09:00Z Moved'])
  expect((await entries('ical', text))[0]?.sourceId).toBe('u/2024-05-02T08:00:00Z')
})

test('a change of an event and all later ones applies to them', async () => {
  const text = calendar(
    `${hour('20240501T080000Z')}\nRRULE:FREQ=DAILY;COUNT=4`,
    `${hour('20240503T100000Z')}\nRECURRENCE-ID;RANGE=THISANDFUTURE:20240503T080000Z`,
  )
  expect(await texts('ical', text)).toEqual([
    '2: 2024-05-01T08:00Z – 2024-05-01T09:00Z',
    '2: 2024-05-02T08:00Z – 2024-05-02T09:00Z',
    '2: 2024-05-03T10:00Z – 2024-05-03T11:00Z',
    '2: 2024-05-04T10:00Z – 2024-05-04T11:00Z',
  ])
})

test('an invalid event does not prevent the next one', async () => {
  const text = calendar(
    'UID:a\nSUMMARY:No start',
    'UID:b\nDTSTART:20240501T080000Z\nDTEND:20240501T070000Z',
    'UID:c\nDTSTART;TZID=Nowhere:20240501T080000\nDURATION:PT1H',
    'UID:d\nno property',
    'UID:e\nDTSTART:tomorrow\nDURATION:PT1H',
    hour('20240501T080000Z'),
  ).replace('END:VCALENDAR', 'BEGIN:VEVENT\nUID:cut')
  expect(await texts('ical', text)).toEqual([
    'file:2:1: DTSTART is empty, not a time.',
    'file:6:1: DTEND is "2024-05-01T07:00:00Z", not a time at or after the start.',
    'file:11:1: TZID is "Nowhere", not a time zone that the calendar defines, or an IANA name such as Europe/Berlin.',
    'file:16:1: "BEGIN:VEVENT", not a complete event of a calendar.',
    expect.stringMatching(/^file:20:1: .*, not an event that can be read\.$/),
    '25: 2024-05-01T08:00Z – 2024-05-01T09:00Z',
    'file:30:1: "BEGIN:VEVENT", not a complete event of a calendar.',
  ])
})

test('a calendar of this program has names and notes, and its tentative event is running', async () => {
  const event = (lines: string) =>
    calendar(`${hour('20240501T080000Z')}\nSUMMARY:Acme / Web\nDESCRIPTION:Notes #tag\n${lines}`).replace(
      'BEGIN:VEVENT',
      'PRODID:-//tt//Time entries//EN\nBEGIN:VEVENT',
    )
  expect(await texts('ical', event('CATEGORIES:Acme,Web\\, big,Design'))).toEqual([
    '3: 2024-05-01T08:00Z – 2024-05-01T09:00Z Acme/Web, big/Design Notes #tag',
  ])
  expect(await entries('ical', event('CATEGORIES:Web,Design\nSTATUS:TENTATIVE'))).toMatchObject([
    { client: null, project: 'Web', task: 'Design', end: null },
  ])
})

test('an export of this program is restored, except for fractions of seconds and control characters', {
  tags: 'slow',
}, async () => {
  const second = (date: Date) => new Date(Math.floor(date.getTime() / 1000) * 1000)
  const text = (value: string) =>
    value.replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n').replace(/(?![\t\n])\p{Cc}/gu, '\ufffd')
  await fc.assert(
    fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 8 }), async (list) => {
      const calendarText = await exported('ical', list)
      expect(await detected(calendarText)).toBe('ical')
      const found = await entries('ical', calendarText)
      expect(found.map(restored)).toEqual(
        list.map(restorable).map(({ start, end, notes, ...names }) => ({
          ...names,
          start: second(start),
          end: end && second(end),
          notes: text(notes),
        })),
      )
      expect(found.map(({ sourceId }) => sourceId)).toEqual(list.map(({ uid }) => uid))
    }),
  )
})
