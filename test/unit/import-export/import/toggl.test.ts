import { describe, expect, test } from 'vitest'
import { inZoneAsync } from '../../lib/calendar/zone.js'
import { detected, entries, fixture, read, texts } from './read.js'

test('a detailed report has local times, names, tags, notes and amounts', async () => {
  expect(await texts('toggl', fixture('toggl.csv'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ Acme/Website/Design #front end #urgent Fix the "logo", again',
    '3: 2024-05-01T21:30Z – 2024-05-01T22:15Z Calls',
    '4: 2024-05-02T07:00Z – 2024-05-02T08:00Z Acme/Website/Design Two\nlines',
  ])
  expect((await entries('toggl', fixture('toggl.csv')))[0]).toMatchObject({
    billable: true,
    amount: { value: '1250.50', currency: 'USD' },
    person: 'ada@example.com',
    sourceId: null,
  })
})

test('a report of the new kind has other columns and a minus sign for missing values', async () => {
  expect(await texts('toggl', fixture('toggl-new.csv'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30Z Website Review',
    '3: 2024-05-01T09:00Z – 2024-05-01T09:30Z #urgent',
  ])
})

const columns = 'Start date,Start time,End date,End time,Duration'
const row = (...fields: string[]) => `${columns}\n${fields.join(',')}\n`

test('a duration that differs from the start and end by more than an hour is invalid', async () => {
  expect(await texts('toggl', row('2024-05-01', '09:30:00', '2024-05-01', '11:00:00', '00:30:00'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:00Z',
  ])
  expect(await texts('toggl', row('2024-05-01', '09:30:00', '2024-05-01', '11:00:01', '00:30:00'))).toEqual([
    'file:2:5: Duration is "00:30:00", not the time between start and end.',
  ])
})

describe('where clocks change', () => {
  const berlin = (...fields: string[]) => inZoneAsync('Europe/Berlin', () => texts('toggl', row(...fields)))

  test('a duration over a change is exact', async () => {
    expect(await berlin('2024-10-27', '01:30:00', '2024-10-27', '03:30:00', '03:00:00')).toEqual([
      '2: 2024-10-26T23:30Z – 2024-10-27T02:30Z',
    ])
    expect(await berlin('2024-03-31', '01:30:00', '2024-03-31', '03:30:00', '01:00:00')).toEqual([
      '2: 2024-03-31T00:30Z – 2024-03-31T01:30Z',
    ])
  })

  test('a start that occurs twice is the one that fits the end', async () => {
    expect(await berlin('2024-10-27', '02:30:00', '2024-10-27', '03:30:00', '01:00:00')).toEqual([
      '2: 2024-10-27T01:30Z – 2024-10-27T02:30Z',
    ])
    expect(await berlin('2024-10-27', '02:30:00', '2024-10-27', '03:30:00', '02:00:00')).toEqual([
      '2: 2024-10-27T00:30Z – 2024-10-27T02:30Z',
    ])
  })
})

test('yields an invalid row for each wrong value and continues', async () => {
  const text = [
    columns,
    '2024-13-01,09:30:00,,,01:00:00',
    '2024-05-01,9.30,,,01:00:00',
    '2024-05-01,09:30:00,,,an hour',
    '2024-05-01,09:30:00,2024-05-01,09:00:00,',
    '2024-05-01,09:30:00,2024-05-01,10:00:00,00:30:00,"more"',
    ',,,,',
    '',
    '2024-05-01,09:30:00,,,01:00:00',
  ].join('\r\n')
  expect(await texts('toggl', text)).toEqual([
    'file:2:1: Start date is "2024-13-01", not a date such as 2024-05-01.',
    'file:3:2: Start time is "9.30", not a time of day such as 9:30, 09:30:00 or 9:30 AM.',
    'file:4:5: Duration is "an hour", not a duration such as 1:30:00, 1h 30m or 1.5 (hours).',
    'file:5:4: End time is "09:00:00", not a time at or after the start.',
    'file:6:6: "more", not one of 5 fields.',
    'file:7:1: Start date is empty, not a date such as 2024-05-01.',
    '9: 2024-05-01T07:30Z – 2024-05-01T08:30Z',
  ])
})

describe('a report with translated columns', () => {
  const french = 'Utilisateur,Projet,Description,Date de début,Heure de début,Durée\n'

  test('is rejected with the way to export it in English', async () => {
    await expect(read('toggl', french)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^file\.txt:1: The columns "Start date", "Start time", "Duration" cannot be found\. The file has: Utilisateur,/,
      ),
      hint: expect.stringContaining('set the language of Toggl Track to English'),
    })
  })

  test('is of no known format', async () => {
    await expect(detected(french)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('The format of file.txt is unknown: it has the columns Utilisateur'),
      hint: expect.stringContaining('set the language of the service to English'),
    })
  })
})
