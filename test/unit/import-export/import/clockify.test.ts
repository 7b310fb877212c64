import { describe, expect, test } from 'vitest'
import { AmbiguousDateOrderError } from '../../../../src/import-export/import/csv/csv-layout.js'
import { entries, fixture, read, source, texts } from './read.js'

test('a detailed report has local times, names, tags and notes, and skips breaks', async () => {
  expect(await texts('clockify', fixture('clockify.csv'))).toEqual([
    'The dates begin with the month.',
    '2: 2024-05-13T07:30Z – 2024-05-13T08:30:15sZ Acme/Website/Design #front end #urgent Fix the logo',
    '3: skipped: breaks',
    '4: 2024-05-06T21:30Z – 2024-05-06T22:15Z Website Night',
  ])
  expect((await entries('clockify', fixture('clockify.csv')))[0]).toMatchObject({
    billable: true,
    amount: { value: '80.33', currency: 'EUR' },
    person: 'ada@example.com',
  })
})

const columns = 'Project,Description,Task,User,Start Date,Start Time,End Date,End Time'
const report = (...times: string[]) =>
  [columns, ...times.map((fields) => `Website,,,Ada,${fields}`)].join('\n')

describe('the order of day and month', () => {
  test('is decided from the whole file, not from the first rows', async () => {
    const first = '03/04/2024,09:00,03/04/2024,10:00'
    expect(await texts('clockify', report(first, '13/04/2024,09:00,13/04/2024,10:00'))).toEqual([
      'The dates begin with the day.',
      '2: 2024-04-03T07:00Z – 2024-04-03T08:00Z Website',
      '3: 2024-04-13T07:00Z – 2024-04-13T08:00Z Website',
    ])
    expect(await texts('clockify', report(first, '04/13/2024,09:00,04/13/2024,10:00'))).toEqual([
      'The dates begin with the month.',
      '2: 2024-03-04T08:00Z – 2024-03-04T09:00Z Website',
      '3: 2024-04-13T07:00Z – 2024-04-13T08:00Z Website',
    ])
  })

  test('is decided by the end date too', async () => {
    const [first] = await entries('clockify', report('03/12/2024,23:00,03/13/2024,00:30'))
    expect(first?.start).toEqual(new Date('2024-03-12T22:00:00Z'))
  })

  test('is requested if all dates exist in both orders', async () => {
    const ambiguous = report('03/04/2024,09:00,03/04/2024,10:00', '05/04/2024,09:00,05/04/2024,10:00')
    const error: unknown = await read('clockify', source(ambiguous, 'report.csv')).catch((error) => error)
    expect(error).toBeInstanceOf(AmbiguousDateOrderError)
    expect(error).toMatchObject({
      code: 'usage',
      example: '03/04/2024',
      message: 'report.csv: The order of day and month is unknown: 03/04/2024 can be read in two ways.',
    })
    expect(await texts('clockify', ambiguous, { dateOrder: 'month-day' })).toEqual([
      '2: 2024-03-04T08:00Z – 2024-03-04T09:00Z Website',
      '3: 2024-05-04T07:00Z – 2024-05-04T08:00Z Website',
    ])
  })

  test('does not matter if day and month are always equal, or the year is first', async () => {
    expect(await entries('clockify', report('04/04/2024,09:00,04/04/2024,10:00'))).toHaveLength(1)
    expect(await entries('clockify', report('2024-04-03,09:00,2024-04-03,10:00'))).toHaveLength(1)
    expect(await entries('clockify', report('03.04.2024,09:00,03.04.2024,10:00'))).toMatchObject([
      { start: new Date('2024-04-03T07:00:00Z') },
    ])
  })

  test('that differs within a file is an error', async () => {
    const mixed = report('13/04/2024,09:00,13/04/2024,10:00', '04/13/2024,09:00,04/13/2024,10:00')
    await expect(read('clockify', mixed)).rejects.toThrow(
      'Some dates begin with the day, others with the month',
    )
  })

  test('ignores dates that exist in neither order', async () => {
    expect(
      await texts('clockify', report('13/13/2024,09:00,,', '13/04/2024,09:00,13/04/2024,10:00')),
    ).toEqual([
      'The dates begin with the day.',
      'file:2:5: Start Date is "13/13/2024", not a date such as 2024-05-01.',
      '3: 2024-04-13T07:00Z – 2024-04-13T08:00Z Website',
    ])
  })
})

test.each([
  ['09:30:00', '2024-05-01T07:30Z'],
  ['9:30 AM', '2024-05-01T07:30Z'],
  ['09:30 a.m.', '2024-05-01T07:30Z'],
  ['12:00 AM', '2024-04-30T22:00Z'],
  ['12:30 PM', '2024-05-01T10:30Z'],
  ['13:30:00 PM', '2024-05-01T11:30Z'],
])('reads the time %s', async (start, instant) => {
  const [row] = await texts('clockify', report(`2024-05-01,${start},2024-05-01,11:59 PM`))
  expect(row).toBe(`2: ${instant} – 2024-05-01T21:59Z Website`)
})

test('tasks may have another name, clients may be missing, and rows may be shorter than the header', async () => {
  const text = [
    'Project,Description,Activity,User,Start Date,Start Time,End Date,End Time,Client',
    'Website,Logo,Design,Ada,2024-05-01,09:30,2024-05-01,10:00',
    'Website,Logo,Design,Ada,2024-05-01,10:00,2024-05-01,11:00,Acme',
  ].join('\n')
  expect(await texts('clockify', text)).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:00Z Website/Design Logo',
    '3: 2024-05-01T08:00Z – 2024-05-01T09:00Z Acme/Website/Design Logo',
  ])
})
