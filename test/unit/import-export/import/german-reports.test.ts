import { expect, test } from 'vitest'
import type { FormatName } from '../../../../src/import-export/import/formats.js'
import { detected, entries, fixture, texts } from './read.js'

test.each<[format: FormatName, rows: string[], fields: object[]]>([
  [
    'toggl',
    ['2: 2024-05-01T07:30Z – 2024-05-01T08:30Z Acme/Website/Design Logo'],
    [{ billable: true, person: 'ada@example.com' }],
  ],
  [
    'clockify',
    ['2: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ Acme/Website/Design #Büro #eilig Logo'],
    [{ billable: true, person: 'ada@example.com', amount: { value: '80.33', currency: 'CHF' } }],
  ],
  [
    'harvest',
    [
      'Entries without a time of day are placed one after another from 09:00.',
      '2: 2024-05-02T07:00Z – 2024-05-02T08:30Z Acme/Website/Design Logo',
      '3: 2024-05-02T08:30Z – 2024-05-02T10:30Z Acme/Website/Design',
    ],
    [{ billable: true, person: 'Ada Lovelace', amount: { value: '150.00' } }, { billable: false }],
  ],
])('a German report of %s', async (format, rows, fields) => {
  const report = fixture(`${format}-german.csv`)
  expect(await detected(report)).toBe(format)
  expect(await texts(format, report)).toEqual(rows)
  expect(await entries(format, report)).toMatchObject(fields)
})

test('an invalid value is reported with the German name of its column', async () => {
  const text = 'Datum,Kunde,Projekt,Aufgabe,Stunden\n2024-05-02,Acme,Website,Design,viel'
  expect(await texts('harvest', text)).toEqual([
    expect.stringMatching(/^file:2:5: Stunden is "viel", not a duration/),
  ])
})
