import { describe, expect, test } from 'vitest'
import { gaps } from '../../../../src/report/health/findings.js'
import type { Entry } from '../../../../src/tracking/entries/entry.js'
import { inZone } from '../../lib/calendar/zone.js'
import { entry, findingsOf } from './entries.js'

// 1 May 2024 is a Wednesday.
const wednesday = { first: '2024-05-01', last: '2024-05-01' }
const later = '2024-05-09T12:00'

const fixesOf = (findings: Awaited<ReturnType<typeof findingsOf>>) => findings.map(({ mend }) => mend)

test.each<[string, Entry[], string[]]>([
  [
    'the time before and after an entry',
    [entry(1, '2024-05-01T10:00', '2024-05-01T11:30')],
    ['09:00–10:00', '11:30–17:00'],
  ],
  ['a gap of one minute', [entry(1, '2024-05-01T09:01', '2024-05-01T20:00')], ['09:00–09:01']],
  ['no gap of less than a minute', [entry(1, '2024-05-01T09:00:01', '2024-05-01T16:59:30')], []],
  [
    'the same gap with an entry within another',
    [entry(1, '2024-05-01T09:00', '2024-05-01T16:00'), entry(2, '2024-05-01T10:00', '2024-05-01T11:00')],
    ['16:00–17:00'],
  ],
  [
    'the same gap with entries outside the working hours',
    [entry(1, '2024-05-01T07:00', '2024-05-01T09:00'), entry(2, '2024-05-01T17:00', '2024-05-01T19:00')],
    ['09:00–17:00'],
  ],
  [
    'no gap in the morning under an entry from the day before',
    [entry(1, '2024-04-30T22:00', '2024-05-01T10:00')],
    ['10:00–17:00'],
  ],
  [
    'gaps between entries in any order',
    [entry(2, '2024-05-01T13:00', '2024-05-01T17:00'), entry(1, '2024-05-01T09:00', '2024-05-01T12:00')],
    ['12:00–13:00'],
  ],
])('finds %s', async (_, entries, expected) => {
  const gaps = await findingsOf('gap', entries, later, { period: wednesday })
  expect(fixesOf(gaps)).toEqual(
    expected.map((gap) => {
      const [from, to] = gap.split('–')
      return `tt add TASK --from "2024-05-01 ${from}" --to "2024-05-01 ${to}"`
    }),
  )
})

test('a gap has a start, an end and a duration', async () => {
  expect(await findingsOf('gap', [], later, { period: wednesday })).toEqual([
    {
      kind: 'gap',
      from: new Date('2024-05-01T09:00'),
      to: new Date('2024-05-01T17:00'),
      seconds: 8 * 3600,
      entries: [],
      what: 'Nothing was tracked',
      mend: 'tt add TASK --from "2024-05-01 09:00" --to "2024-05-01 17:00"',
    },
  ])
})

describe('a gap in the current day', () => {
  test('ends at the current time', async () => {
    const [gap] = await findingsOf('gap', [], '2024-05-01T11:00:30.700', { period: wednesday })
    expect(gap?.mend).toBe('tt add TASK --from "2024-05-01 09:00" --to "2024-05-01 11:00:30"')
  })

  test('does not include the running entry', async () => {
    expect(
      await findingsOf('gap', [entry(1, '2024-05-01T09:00', null)], '2024-05-01T11:00', {
        period: wednesday,
      }),
    ).toEqual([])
  })

  test('does not start in the future', async () => {
    expect(await findingsOf('gap', [], '2024-05-01T08:00', { period: wednesday })).toEqual([])
    expect(await findingsOf('gap', [], '2024-04-01T08:00', { period: wednesday })).toEqual([])
  })
})

test('only working days have gaps, one per span of working hours', async () => {
  const workingHours = [
    { from: 8 * 60, to: 12 * 60 },
    { from: 13 * 60 + 30, to: 24 * 60 },
  ]
  const period = { first: '2024-05-03', last: '2024-05-06' }
  const gaps = await findingsOf('gap', [], later, {
    period,
    settings: { workingHours, entryLimitSeconds: 1 },
  })
  expect(gaps.map(({ mend }) => mend.slice('tt add TASK '.length))).toEqual([
    '--from "2024-05-03 08:00" --to "2024-05-03 12:00"',
    '--from "2024-05-03 13:30" --to "2024-05-04 00:00"',
    '--from "2024-05-06 08:00" --to "2024-05-06 12:00"',
    '--from "2024-05-06 13:30" --to "2024-05-07 00:00"',
  ])
})

test('gaps start on the day of the first entry when the period has no start', async () => {
  const gaps = await findingsOf('gap', [entry(1, '2024-05-01T10:00', '2024-05-01T17:00')], '2024-05-02T10:00')
  expect(gaps.map(({ from }) => from)).toEqual([new Date('2024-05-01T09:00'), new Date('2024-05-02T09:00')])
  expect(await findingsOf('gap', [], later)).toEqual([])
})

test.each([
  ['Europe/Berlin', '2024-03-31', 3600],
  ['Europe/Berlin', '2024-10-27', 3 * 3600],
  ['Australia/Lord_Howe', '2024-10-06', 1.5 * 3600],
])('a clock change in %s on %s changes the length of working hours', (zone, day, seconds) => {
  const findProblems = inZone(zone, () => {
    const period = { first: day, last: day }
    const settings = { workingHours: [{ from: 90, to: 210 }] }
    return [...gaps([], period, settings, { isWorkingDay: () => true }, new Date('2024-12-01'))]
  })
  expect(findProblems.map(({ seconds }) => seconds)).toEqual([seconds])
})

test('working hours that a clock change skips have no gap', async () => {
  const period = { first: '2024-03-31', last: '2024-03-31' }
  const settings = { workingHours: [{ from: 120, to: 180 }], entryLimitSeconds: 1 }
  expect(
    await findingsOf('gap', [], later, { period, settings, work: { isWorkingDay: () => true } }),
  ).toEqual([])
})

const at = (clock: string) => `2024-05-01T${clock}`

test('an entry is long when it took more than the limit, which is 10 hours', async () => {
  const entries = [
    entry(1, '2024-04-29T08:00', '2024-04-29T18:00'),
    entry(2, '2024-04-30T08:00', '2024-04-30T18:00:01'),
  ]
  expect((await findingsOf('long', entries, at('12:00'))).map(({ entries: ids }) => ids)).toEqual([[2]])
})

test('a running timer within an entry of its task is no duplicate to delete, and a finished one is', async () => {
  const commandsOf = async (end: string | null) => {
    const entries = [entry(1, at('09:00'), at('12:00')), entry(2, at('10:00'), end)]
    return (await findingsOf('overlap', entries, at('11:00'))).map(({ mend }) => mend)
  }
  expect(await commandsOf(at('11:00'))).toEqual([expect.stringContaining('tt rm 2')])
  expect(await commandsOf(null)).toEqual([expect.not.stringContaining('tt rm')])
})
