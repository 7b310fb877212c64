import { expect, test } from 'vitest'
import { fixture, texts } from './read.js'

test('lines clock in and out of accounts', async () => {
  expect(await texts('timeclock', fixture('example.timeclock'))).toEqual([
    '2: 2024-05-01T07:30Z – 2024-05-01T08:30:15sZ Acme/Website/Design:logo Fix the logo',
    '6: 2024-05-01T09:00Z – 2024-05-01T09:30Z some/account name',
    '8: skipped: balances and working hours',
    '9: skipped: balances and working hours',
    '10: 2024-05-02T20:00Z – 2024-05-02T23:00Z calls',
    '12: 2024-05-03T07:00Z – open Website with a tab',
  ])
})

test('several sessions can be open', async () => {
  const text = [
    'i 2024-05-01 09:00 a',
    'i 2024-05-01 10:00 b',
    'i 2024-05-01 11:00 c',
    'o 2024-05-01 12:00 a',
    'o 2024-05-01 13:00',
    'o 2024-05-01 14:00 finished  with success',
  ].join('\r\n')
  expect(await texts('timeclock', text)).toEqual([
    '1: 2024-05-01T07:00Z – 2024-05-01T10:00Z a',
    '3: 2024-05-01T09:00Z – 2024-05-01T11:00Z c',
    '2: 2024-05-01T08:00Z – 2024-05-01T12:00Z b finished  with success',
  ])
})

test('a session over a change of the clocks has its exact times', async () => {
  expect(await texts('timeclock', 'i 2024-10-27 02:50:00 a\no 2024-10-27 02:10:00\n')).toEqual([
    '1: 2024-10-27T00:50Z – 2024-10-27T01:10Z a',
  ])
})

test('yields an invalid row for each wrong line and continues', async () => {
  const text = [
    'o 2024-05-01 09:00',
    'i 2024-05-01',
    'i 2024-13-01 09:00 a',
    'x 2024-05-01 09:00 a',
    'i 2024-03-31 02:30:00 a',
    'o 2024-03-31 04:00:00',
    'i 2024-05-01 10:00 a',
    'o 2024-05-01 09:00',
    'i 2024-05-01 10:00 a',
    'o 2024-05-01 11:00',
  ].join('\n')
  expect(await texts('timeclock', text)).toEqual([
    'file:1:1: "o 2024-05-01 09:00", not a line that clocks in (i) before one that clocks out.',
    'file:2:14: the text is empty, not a time of day such as 09:30:00.',
    'file:3:3: "2024-13-01", not a date such as 2024-05-01.',
    'file:4:1: "x 2024-05-01 09:00 a", not a line such as i 2024-05-01 09:30:00 client:project:task  description.',
    'file:5:3: "2024-03-31 02:30:00", not a time that exists: the clocks go forward over it.',
    'file:8:3: "2024-05-01 09:00", not a time at or after the start.',
    '9: 2024-05-01T08:00Z – 2024-05-01T09:00Z a',
  ])
})
