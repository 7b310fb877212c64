import { describe, expect, test } from 'vitest'
import { entries, fixture, texts } from './read.js'

test('entries of a day are placed one after another from the start of the working hours', async () => {
  expect(await texts('harvest', fixture('harvest.csv'), { workStartMinutes: 8 * 60 + 30 })).toEqual([
    'Entries without a time of day are placed one after another from 08:30.',
    '2: 2024-05-02T06:30Z – 2024-05-02T08:00Z Acme/Website/Design Fix the logo',
    '3: 2024-05-02T08:00Z – 2024-05-02T08:19:48sZ Acme/Website/Review',
    '4: 2024-05-01T06:30Z – 2024-05-02T02:30Z Acme/Website/Design',
    '5: 2024-05-02T06:30Z – 2024-05-02T08:30Z Acme/Website/Design',
    '6: 2024-05-02T08:19:48sZ – 2024-05-02T08:34:48sZ Calls Team',
  ])
  expect(
    (await entries('harvest', fixture('harvest.csv'))).map(({ placedOn, person }) => [placedOn, person]),
  ).toEqual([
    ['2024-05-02', 'Ada Lovelace'],
    ['2024-05-02', 'Ada Lovelace'],
    ['2024-05-01', 'Ada Lovelace'],
    ['2024-05-02', 'Grace Hopper'],
    ['2024-05-02', 'Ada Lovelace'],
  ])
})

/** Returns the seconds of an entry with these hours, or its problem. */
async function secondsOf(hours: string): Promise<number | string | undefined> {
  const text = `Date,Client,Project,Task,Hours\n2024-05-01,,Website,,"${hours}"\n`
  const rows = await texts('harvest', text)
  if (rows[0]?.startsWith('file')) return rows[0]
  const [entry] = await entries('harvest', text)
  return entry?.end ? (entry.end.getTime() - entry.start.getTime()) / 1000 : undefined
}

describe('hours', () => {
  test.each([
    ['1,5', 5400],
    ['1', 3600],
    ['0.00', 0],
    ['1.125', 4050],
    ['1 000,25', 3_600_900],
    ["1'000.25", 3_600_900],
    ['1.000,25', 3_600_900],
    ['1,000.25', 3_600_900],
  ])('are read from %s', async (hours, seconds) => {
    expect(await secondsOf(hours)).toBe(seconds)
  })

  test.each(['', '-1', '1.5h.', 'x', '1..5', '1.5.2', '1,2345,678.9', '1,2,3.4.5', '99999999'])(
    'are not read from "%s"',
    async (hours) => {
      expect(await secondsOf(hours)).toMatch(/^file:2:5: Hours is .*, not a duration/)
    },
  )
})

test.each([
  ['1,234', '1234'],
  ['1,234.50', '1234.50'],
  ['1.234', '1.234'],
  ['12,5', '12.5'],
])('the amount %s is %s', async (typed, value) => {
  const text = `Date,Client,Project,Task,Hours,Billable Amount,Currency\n2024-05-01,,Website,,1,"${typed}",EUR\n`
  expect(await entries('harvest', text)).toMatchObject([{ amount: { value } }])
})
