import { expect, test } from 'vitest'
import { detected, entries, fixture, texts } from './read.js'

test('a German report of Toggl Track', async () => {
  expect(await detected(fixture('toggl-german.csv'))).toBe('toggl')
  expect(await texts('toggl', fixture('toggl-german.csv'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30Z Acme/Website/Design Logo',
  ])
  expect(await entries('toggl', fixture('toggl-german.csv'))).toMatchObject([
    { billable: true, person: 'ada@example.com' },
  ])
})

test('a German report of Clockify', async () => {
  expect(await detected(fixture('clockify-german.csv'))).toBe('clockify')
  expect(await texts('clockify', fixture('clockify-german.csv'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ Acme/Website/Design #Büro #eilig Logo',
  ])
  expect(await entries('clockify', fixture('clockify-german.csv'))).toMatchObject([
    { billable: true, person: 'ada@example.com', amount: { value: '80.33', currency: 'CHF' } },
  ])
})

test('a German report of Harvest', async () => {
  expect(await detected(fixture('harvest-german.csv'))).toBe('harvest')
  expect(await texts('harvest', fixture('harvest-german.csv'))).toEqual([
    'Entries without a time of day are placed one after another from 09:00.',
    '2: 2024-05-02T07:00Z – 2024-05-02T08:30Z Acme/Website/Design Logo',
    '3: 2024-05-02T08:30Z – 2024-05-02T10:30Z Acme/Website/Design',
  ])
  expect(await entries('harvest', fixture('harvest-german.csv'))).toMatchObject([
    { billable: true, person: 'Ada Lovelace', amount: { value: '150.00' } },
    { billable: false },
  ])
})

test('an invalid value is reported with the German name of its column', async () => {
  const text = 'Datum,Kunde,Projekt,Aufgabe,Stunden\n2024-05-02,Acme,Website,Design,viel'
  expect(await texts('harvest', text)).toEqual([
    expect.stringMatching(/^file:2:5: Stunden is "viel", not a duration/),
  ])
})
