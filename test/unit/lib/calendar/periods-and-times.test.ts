import { expect, test } from 'vitest'
import { readTypedTimes } from '../../../../src/commands/adjust/times.js'
import { parsePeriod } from '../../../../src/lib/calendar/period.js'
import { parseTime, toRfc3339 } from '../../../../src/lib/calendar/time.js'
import { TtError } from '../../../../src/lib/errors.js'
import { readTypedAmount } from '../../../../src/lib/typed-amount.js'
import { inZone } from './zone.js'

/** A Wednesday, 14:30 in Berlin. */
const now = new Date('2024-05-01T12:30:20Z')

/** Returns what a text means, or the message of its error. */
function meaningOf(read: () => unknown): unknown {
  try {
    return inZone('Europe/Berlin', read)
  } catch (error) {
    if (error instanceof TtError && error.code === 'usage') return error.message
    throw error
  }
}

const periods: [text: string, meaning: string][] = [
  ['all', '..'],
  ['1d', '2024-05-01..2024-05-01'],
  ['7d', '2024-04-25..2024-05-01'],
  ['last-7-days', '2024-04-25..2024-05-01'],
  ['2w', '2024-04-18..2024-05-01'],
  ['last 2 weeks', '2024-04-18..2024-05-01'],
  ['Last  Week', '2024-04-22..2024-04-28'],
  ['next-month', '2024-06-01..2024-06-30'],
  ['today..next week', '2024-05-01..2024-05-12'],
  ['may-2023', '2023-05-01..2023-05-31'],
  ['q3-2022', '2022-07-01..2022-09-30'],
  ['17.11.2026', '2026-11-17..2026-11-17'],
  ['1.4.2024..15.4.2024', '2024-04-01..2024-04-15'],
  ['monday .. wednesday', '2024-04-29..2024-05-01'],
  // Thursday has not come yet: the end is the first one after the start.
  ['monday..thursday', '2024-04-29..2024-05-02'],
  ['march..june', '2024-03-01..2024-06-30'],
  ['w17..w19', '2024-04-22..2024-05-12'],
  ['last-week..yesterday', '2024-04-22..2024-04-30'],
  ['may..', '2024-05-01..'],
  ['..yesterday', '..2024-04-30'],
  ['..', '".." is not a period.'],
  ['a..b..c', '"a..b..c" is not a period.'],
  ['today..yesterday', '"today..yesterday" is not a period: 2024-05-01 is after 2024-04-30.'],
  ['wek', '"wek" is not a period. Did you mean week?'],
  ['lst week', '"lst week" is not a period. Did you mean last week?'],
  ['yesteday', '"yesteday" is not a period. Did you mean yesterday?'],
  ['agust', '"agust" is not a period. Did you mean august?'],
  ['Website', '"Website" is not a period.'],
  ['31.2.2024', '"31.2.2024" is not a period.'],
  ['0d', '"0d" is not a period: it has no days.'],
  ['5/6/2024', '"5/6/2024" can be 2024-06-05 or 2024-05-06.'],
  ['25/12/2024', '"25/12/2024" is not a period.'],
  ['05/05/2024', '"05/05/2024" is not a period.'],
  ['111/6/2024', '"111/6/2024" is not a period.'],
  ['5/6/20245', '"5/6/20245" is not a period.'],
  ['111.5.2024', '"111.5.2024" is not a period.'],
  ['1.5.20244', '"1.5.20244" is not a period.'],
  ['1x5x2024', '"1x5x2024" is not a period.'],
  ['last wednesday', '2024-04-24..2024-04-24'],
  ['last', '"last" is not a period. Did you mean last week?'],
]

test.each(periods)('the period %j means %s', (text, meaning) => {
  const read = () => {
    const { first = '', last = '' } = parsePeriod(text, now)
    return `${first}..${last}`
  }
  expect(meaningOf(read)).toBe(meaning)
})

const times: [text: string, meaning: string][] = [
  ['9', '2024-05-01T09:00:00+02:00'],
  ['0', '2024-05-01T00:00:00+02:00'],
  ['24', '"24" is not a time: there is no hour 24.'],
  ['yesterday 9', '2024-04-30T09:00:00+02:00'],
  ['9h30', '2024-05-01T09:30:00+02:00'],
  ['9h3', '"9h3" is not a time.'],
  ['1.5.2024 9', '2024-05-01T09:00:00+02:00'],
  ['31.2.2024 9:00', '"31.2.2024 9:00" is not a time: there is no day "31.2.2024".'],
  ['5/6/2024 9:00', '"5/6/2024 9:00" can be 2024-06-05 or 2024-05-06.'],
  ['-1,5h', '2024-05-01T13:00:20+02:00'],
]

test.each(times)('the time %j means %s', (text, meaning) => {
  expect(meaningOf(() => toRfc3339(parseTime(text, now)))).toBe(meaning)
})

const typed: [text: string, meaning: unknown][] = [
  ['9:00-11:30', { from: '9:00', to: '11:30' }],
  ['9:00 - 11:30', { from: '9:00', to: '11:30' }],
  ['9:00–11:30', { from: '9:00', to: '11:30' }],
  ['9:00..11:30', { from: '9:00', to: '11:30' }],
  ['9-11', { from: '9', to: '11' }],
  ['9h30-11h15', { from: '9h30', to: '11h15' }],
  ['9am-11am', { from: '9am', to: '11am' }],
  ['9-11am', { from: '9', to: '11am' }],
  ['11-1pm', { from: '11', to: '1pm' }],
  ['1-3pm', '"1-3pm" can be 01:00-15:00 or 13:00-15:00.'],
  ['9:00-noon', { from: '9:00', to: 'noon' }],
  ['9:00-now', { from: '9:00', to: 'now' }],
  ['last-11:30', { from: 'last', to: '11:30' }],
  ['yesterday 14:00-15:30', { from: 'yesterday 14:00', to: '15:30' }],
  ['yesterday 22:00-today 1:00', { from: 'yesterday 22:00', to: 'today 1:00' }],
  ['last monday 9-11', { from: 'last monday 9', to: '11' }],
  ['17.11.2026 9:00-11:30', { from: '17.11.2026 9:00', to: '11:30' }],
  ['2024-04-30 9:00-11:30', { from: '2024-04-30 9:00', to: '11:30' }],
  ['2h', { for: '2h' }],
  ['1h 30m', { for: '1h 30m' }],
  ['PT2H', { for: 'PT2H' }],
  ['1:30', '"1:30" can be a time or a duration.'],
  ['9h30', '"9h30" can be a time or a duration.'],
  ['9am', undefined],
  ['1', undefined],
  ['12 9-11', undefined],
  ['design', undefined],
  ['yesterday', undefined],
  ['design 9-11', undefined],
  ['2024-04-30', undefined],
  ['Sprint 12', undefined],
]

test.each(typed)('the times %j mean %j', (text, meaning) => {
  expect(meaningOf(() => readTypedTimes(text, now))).toEqual(meaning)
})

const amounts: [text: string, meaning: unknown][] = [
  ['12.50', { amount: '12.50' }],
  ['12,50', { amount: '12.50' }],
  ['€12.50', { amount: '12.50', currency: 'EUR' }],
  ['12,50 €', { amount: '12.50', currency: 'EUR' }],
  ['-€5', { amount: '-5', currency: 'EUR' }],
  ['95EUR', { amount: '95', currency: 'EUR' }],
  ['95 eur', { amount: '95', currency: 'EUR' }],
  ['CHF 20', { amount: '20', currency: 'CHF' }],
  ['£7', { amount: '7', currency: 'GBP' }],
  ['$7', '"$7" can be 7USD or 7CAD or 7AUD.'],
  ['1,234', '"1,234" can be 1.234 or 1234.'],
  ['1.234', { amount: '1.234' }],
  ['1.234,50', undefined],
  ['95XYZ', '"XYZ" is not a currency code (ISO 4217).'],
  ['€5EUR', undefined],
  ['1e3', undefined],
]

test.each(amounts)('the amount %j means %j', (text, meaning) => {
  expect(meaningOf(() => readTypedAmount(text, 4))).toEqual(meaning)
})

test('a symbol of several currencies means the one that is named elsewhere', () => {
  expect(readTypedAmount('$7', 4, 'CAD')).toEqual({ amount: '7', currency: 'CAD' })
})
