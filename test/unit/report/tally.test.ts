import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endOfDay } from '../../../src/lib/calendar/day.js'
import type { Dimension } from '../../../src/records/report-names.js'
import type { BillingTerms } from '../../../src/report/entry-parts.js'
import { parseRate, type Rate } from '../../../src/report/rates.js'
import type { TallyOptions } from '../../../src/report/tally.js'
import type { Entry } from '../../../src/tracking/entries/entry.js'
import { anyZone, inZone } from '../lib/calendar/zone.js'
import { entry, link, outline, tallyOf } from './fixtures.js'

const now = new Date('2024-05-08T12:00:00')

const tally = (entries: Entry[], by: Dimension[], options: Partial<TallyOptions> = {}) =>
  tallyOf(entries, by, { now, ...options })

const lines = (...input: Parameters<typeof tally>) => outline(tally(...input).groups)

describe('grouped time', () => {
  const shop = link('Acme', 'Shop', 'Design')
  const review = link('Acme', 'Website', 'Review')
  const internal = link(null, 'Internal', 'Review')

  test('has nested groups with subtotals, the longest first', () => {
    const entries = [
      entry('2024-05-06T09:00', '2024-05-06T10:00'),
      entry('2024-05-06T10:00', '2024-05-06T10:30', { link: review }),
      entry('2024-05-07T10:00', '2024-05-07T12:00', { link: shop }),
      entry('2024-05-07T13:00', '2024-05-07T13:15', { link: internal }),
    ]
    expect(lines(entries, ['client', 'project', 'task'])).toEqual([
      'Acme 12600',
      '  Shop 7200',
      '    Design 7200',
      '  Website 5400',
      '    Design 3600',
      '    Review 1800',
      'no client 900',
      '  Internal 900',
      '    Review 900',
    ])
    expect(lines(entries, ['task'])).toEqual(['Design 10800', 'Review 2700'])
    expect(lines(entries, ['day', 'client'])).toEqual([
      '2024-05-06 Mon 5400',
      '  Acme 5400',
      '2024-05-07 Tue 8100',
      '  Acme 7200',
      '  no client 900',
    ])
  })

  test('has the number of entries and the share of each group', () => {
    const entries = [
      entry('2024-05-06T23:00', '2024-05-07T02:00'),
      entry('2024-05-07T10:00', '2024-05-07T11:00', { link: internal }),
    ]
    const { totals, groups } = tally(entries, ['day', 'project'])
    expect(totals).toMatchObject({ seconds: 14_400, count: 2 })
    expect(groups.map(({ count, share }) => [count, share])).toEqual([
      [1, 0.25],
      [2, 0.75],
    ])
    expect(tally(entries, ['week']).groups).toMatchObject([{ count: 2, share: 1 }])
  })

  test.each<[Dimension, string, string[]]>([
    ['week', '2021-01-03', ['2020-W53 from 2020-12-28 3600', '2021-W01 from 2021-01-04 7200']],
    ['month', '2024-04-30', ['2024-04 3600', '2024-05 7200']],
    ['quarter', '2024-03-31', ['2024-Q1 3600', '2024-Q2 7200']],
    ['year', '2023-12-31', ['2023 3600', '2024 7200']],
  ])('by %s splits an entry at the midnight after %s', (by, day, expected) => {
    const start = new Date(endOfDay(day).getTime() - 3_600_000)
    const end = new Date(start.getTime() + 3 * 3_600_000)
    expect(lines([entry(start.toISOString(), end.toISOString())], [by], { now: end })).toEqual(expected)
  })

  test('by week and weekday starts weeks on the configured day', () => {
    const entries = [
      entry('2024-05-11T09:00', '2024-05-11T10:00'),
      entry('2024-05-12T09:00', '2024-05-12T11:00'),
    ]
    expect(lines(entries, ['week'], { weekStart: 0 })).toEqual([
      'week of 2024-05-05 3600',
      'week of 2024-05-12 7200',
    ])
    expect(lines(entries, ['weekday'], { weekStart: 0 })).toEqual(['Sunday 7200', 'Saturday 3600'])
    expect(lines(entries, ['weekday'], { weekStart: 1 })).toEqual(['Saturday 3600', 'Sunday 7200'])
  })

  test('by notes has a group without notes', () => {
    const unseen: Entry = { ...entry('2024-05-06T12:00', '2024-05-06T13:00'), link: undefined }
    unseen.wire = { ...unseen.wire, task_link_id: 77 }
    const none: Entry = { ...unseen, wire: { ...unseen.wire, task_link_id: null } }
    const entries = [
      entry('2024-05-06T09:00', '2024-05-06T10:00', { notes: ' phone ' }),
      entry('2024-05-06T10:00', '2024-05-06T11:00', { notes: 'phone' }),
    ]
    expect(lines([...entries, unseen], ['notes'])).toEqual(['phone 7200', 'no notes 3600'])
    expect(lines([unseen, none], ['task'])).toEqual(['no task 3600', 'task 77 3600'])
    expect(lines([unseen, none], ['client', 'project'])).toEqual(['no client 7200', '  no project 7200'])
  })

  test('distinguishes two projects of the same name by client', () => {
    const entries = ['Acme', 'Northwind', null].map((client) =>
      entry('2024-05-06T09:00', '2024-05-06T10:00', { link: link(client, 'Support', 'Phone') }),
    )
    expect(lines(entries, ['project'])).toEqual([
      'Support (Acme) 3600',
      'Support (Northwind) 3600',
      'Support 3600',
    ])
  })
})

describe('groups of tags', () => {
  const termsOf = () => ({ isBillable: true, rate: parseRate('95 EUR', 'rate', undefined) })
  const entries = [
    entry('2024-05-06T09:00', '2024-05-06T10:00', { notes: '#logo and #Website' }),
    entry('2024-05-06T10:00', '2024-05-06T10:30', { notes: 'Again #LOGO' }),
    entry('2024-05-07T09:00', '2024-05-07T09:15', { notes: 'No tag, issue #12' }),
  ]

  test('divide days, and are divided by days', () => {
    const byDay = tally(entries, ['day', 'tag']).groups
    expect(byDay.map(({ seconds, groups }) => [seconds, groups.map((group) => group.seconds)])).toEqual([
      [5400, [5400, 3600]],
      [900, [900]],
    ])
    const byTag = tally(entries, ['tag', 'day'])
    expect(byTag.totals.seconds).toBe(6300)
    expect(byTag.groups[0]?.groups.map(({ key }) => key)).toEqual(['2024-05-06'])
  })

  test('do not change the rounded total of the group above them', () => {
    const rounding = { stepSeconds: 3600, direction: 'up' } as const
    expect(tally(entries, ['tag'], { rounding }).totals.roundedSeconds).toBe(3 * 3600)
    // 1:45 in all, rounded as a whole; the groups of tags are rounded each.
    const rounded = tally(entries, ['tag'], { termsOf, rounding, roundsTotals: true })
    expect(rounded.totals.roundedSeconds).toBe(2 * 3600)
    expect(rounded.totals.amounts).toEqual([{ currency: 'EUR', amount: '190.00' }])
    expect(rounded.groups.map(({ roundedSeconds }) => roundedSeconds)).toEqual([7200, 3600, 3600])
  })

  test('have the totals of every other grouping, and the time of the entries with each tag', () => {
    const tags = ['logo', 'website', 'travel']
    const anyEntry = fc
      .record({
        start: fc.date({ min: new Date('2024-05-01'), max: new Date('2024-05-20'), noInvalidDate: true }),
        lengthMs: fc.integer({ min: 0, max: 30 * 3600 * 1000 }),
        tags: fc.subarray(tags),
      })
      .map(({ start, lengthMs, tags }) =>
        entry(start.toISOString(), new Date(start.getTime() + lengthMs).toISOString(), {
          notes: tags.map((tag) => `#${tag}`).join(' '),
        }),
      )
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 12 }),
        fc.constantFrom<Dimension[]>(['tag'], ['tag', 'day'], ['week', 'tag'], ['tag', 'project']),
        (entries, by) => {
          const { totals, groups } = tally(entries, by, { termsOf })
          expect(totals).toEqual(tally(entries, ['project'], { termsOf }).totals)
          if (by[0] !== 'tag') return
          for (const tag of tags) {
            const tagged = entries.filter(({ notes }) => notes.split(' ').includes(`#${tag}`))
            const group = groups.find(({ key }) => key === tag)
            expect(group?.count ?? 0).toBe(tagged.length)
            const { seconds, amounts } = tally(tagged, [], { termsOf }).totals
            expect(group?.seconds ?? 0).toBe(seconds)
            expect(group?.amounts ?? []).toEqual(amounts)
          }
        },
      ),
    )
  })
})

describe('the tally of an entry', () => {
  test('includes only the time within the period', () => {
    const entries = [
      entry('2024-05-05T22:00', '2024-05-06T01:00'),
      entry('2024-05-07T23:00', '2024-05-08T00:30'),
      entry('2024-05-04T10:00', '2024-05-04T11:00'),
      entry('2024-05-08T00:00', '2024-05-08T01:00'),
    ]
    const bounds = { start: new Date('2024-05-06T00:00'), end: new Date('2024-05-08T00:00') }
    expect(tally(entries, [], bounds).totals).toMatchObject({ seconds: 7200, count: 2 })
    expect(lines(entries, ['day'], bounds)).toEqual(['2024-05-06 Mon 3600', '2024-05-07 Tue 3600'])
  })

  test('includes the time up to now while it runs, and marks it', () => {
    const entries = [entry('2024-05-08T11:00', null), entry('2024-05-08T09:00', '2024-05-08T10:00')]
    const { totals, groups } = tally(entries, ['notes', 'day'])
    expect(totals).toMatchObject({ seconds: 7200, running: true })
    expect(groups).toMatchObject([{ running: true, groups: [{ running: true, seconds: 7200 }] }])
    expect(tally(entries.slice(1), []).totals).toMatchObject({ running: false })
  })

  test('includes no time that starts in the future or ends before it starts', () => {
    const entries = [entry('2024-05-08T13:00', null), entry('2024-05-07T10:00', '2024-05-07T09:00')]
    expect(tally(entries, []).totals).toMatchObject({ seconds: 0, count: 2 })
  })

  test('counts an entry without length once on its day', () => {
    const entries = [entry('2024-05-06T00:00', '2024-05-06T00:00')]
    const may6 = { start: new Date('2024-05-06T00:00'), end: new Date('2024-05-07T00:00') }
    const may5 = { start: new Date('2024-05-05T00:00'), end: new Date('2024-05-06T00:00') }
    expect(tally(entries, ['day'], may6).groups).toMatchObject([{ key: '2024-05-06', seconds: 0, count: 1 }])
    expect(tally(entries, ['day'], may5).groups).toEqual([])
  })
})

describe('rounding', () => {
  const quarter = { stepSeconds: 900, direction: 'nearest' } as const
  const entries = [
    entry('2024-05-06T09:00', '2024-05-06T09:10'),
    entry('2024-05-06T10:00', '2024-05-06T10:10'),
    entry('2024-05-06T11:00', '2024-05-06T11:05'),
  ]

  test('rounds each entry, or the sums', () => {
    expect(tally(entries, [], { rounding: quarter }).totals).toMatchObject({
      seconds: 1500,
      roundedSeconds: 1800,
    })
    const sums = { rounding: quarter, roundsTotals: true }
    expect(tally(entries.slice(0, 2), [], sums).totals).toMatchObject({ roundedSeconds: 900 })
  })

  test('preserves the rounded length of an entry across midnight', () => {
    const night = entry('2024-05-06T23:50', '2024-05-07T00:05')
    expect(tally([night], ['day'], { rounding: { ...quarter, direction: 'up' } }).groups).toMatchObject([
      { seconds: 600, roundedSeconds: 900 },
      { seconds: 300, roundedSeconds: 0 },
    ])
  })

  test('never returns negative parts for an entry that rounds to zero', () => {
    const night = entry('2024-05-06T23:53', '2024-05-07T00:00')
    const twoNights = [night, entry('2024-05-06T23:54', '2024-05-07T00:01')]
    for (const group of tally(twoNights, ['day'], { rounding: quarter }).groups)
      expect(group.roundedSeconds).toBeGreaterThanOrEqual(0)
  })
})

describe('the amount of an entry', () => {
  const rate = parseRate('95 EUR', 'rate', undefined)
  const dollars = parseRate('100.10 USD', 'rate', undefined)
  const shop = link('Acme', 'Shop', 'Design')
  const internal = link(null, 'Internal', 'Meetings')
  const termsOf = ({ link: on }: Entry): BillingTerms =>
    on === internal
      ? { isBillable: false, rate: undefined }
      : { isBillable: true, rate: on === shop ? dollars : rate }
  const eur = (amount: string) => ({ currency: 'EUR', amount })
  const usd = (amount: string) => ({ currency: 'USD', amount })
  const entries = [
    entry('2024-05-06T09:00', '2024-05-06T09:10'),
    entry('2024-05-06T10:00', '2024-05-06T10:20', { link: shop }),
    entry('2024-05-07T10:00', '2024-05-07T10:10'),
  ]

  test('is rounded once, and every grouping has the same total', () => {
    const { totals, groups } = tally(entries, ['day', 'project'], { termsOf })
    expect(groups.map(({ amounts }) => amounts)).toEqual([[eur('15.83'), usd('33.37')], [eur('15.83')]])
    expect(totals.amounts).toEqual([eur('31.66'), usd('33.37')])
    expect(tally(entries, ['project'], { termsOf }).totals.amounts).toEqual(totals.amounts)
  })

  test('has a rate of its group only where all entries have the same price in the same currency', () => {
    const [first, second] = [
      entry('2024-05-06T09:00', '2024-05-06T10:00'),
      entry('2024-05-06T10:00', '2024-05-06T11:00'),
    ]
    const rateWith = (other: Rate) => {
      const termsOf = (one: Entry) => ({ isBillable: true, rate: one === first ? rate : other })
      return tally([first, second], ['project'], { termsOf }).groups[0]?.rate
    }
    expect(rateWith(parseRate('95.00', 'rate', 'EUR'))).toEqual(eur('95.00'))
    expect(rateWith(parseRate('95 USD', 'rate', undefined))).toBeNull()
    expect(rateWith(parseRate('96 EUR', 'rate', undefined))).toBeNull()
  })

  test('is that of its rounded duration', () => {
    const rounding = { stepSeconds: 900, direction: 'up' } as const
    const amounts = [eur('47.50'), usd('50.05')]
    expect(tally(entries, ['project'], { termsOf, rounding }).totals.amounts).toEqual(amounts)
    const ofSums = tally(entries, ['project'], { termsOf, rounding, roundsTotals: true }).groups
    expect(ofSums.map(({ roundedSeconds, amounts }) => [roundedSeconds, amounts])).toEqual([
      [1800, [usd('50.05')]],
      [1800, [eur('47.50')]],
    ])
  })

  test('is distributed over its days by largest remainder', () => {
    // 95 for 40 minutes is 63.33; the exact parts are 15.8325, 31.665 and 15.8325.
    const night = entry('2024-05-06T23:50', '2024-05-07T00:30')
    expect(tally([night], ['day'], { termsOf }).groups.map(({ amounts }) => amounts)).toEqual([
      [eur('15.83')],
      [eur('47.50')],
    ])
    expect(tally([night], [], { termsOf }).totals.amounts).toEqual([eur('63.33')])
  })

  test('is none for time that is not billable, which has totals of its own', () => {
    const meeting = entry('2024-05-06T11:00', '2024-05-06T11:25', { link: internal })
    const { totals, groups } = tally([...entries, meeting], ['day'], {
      termsOf,
      rounding: { stepSeconds: 900, direction: 'up' },
    })
    expect(totals).toMatchObject({
      seconds: 3900,
      billableSeconds: 2400,
      roundedSeconds: 5400,
      billableRoundedSeconds: 3600,
    })
    expect(groups[0]).toMatchObject({ seconds: 3300, billableSeconds: 1800, billableRoundedSeconds: 2700 })
    expect(tally([meeting], ['day'], { termsOf }).totals.amounts).toEqual([])
  })

  test('of a rounded group counts the billable part of it', () => {
    const meeting = entry('2024-05-06T11:00', '2024-05-06T11:20', { link: internal })
    const rounding = { stepSeconds: 2700, direction: 'up' } as const
    const { totals } = tally([entries[0] as Entry, meeting], ['day'], {
      termsOf,
      rounding,
      roundsTotals: true,
    })
    expect(totals).toMatchObject({
      seconds: 1800,
      roundedSeconds: 2700,
      billableRoundedSeconds: 900,
      amounts: [eur('23.75')],
    })
  })
})

describe('an entry that the bounds of a period split', () => {
  const termsOf = () => ({ isBillable: true, rate: parseRate('95 EUR', 'rate', undefined) })
  const period = (from: string, to: string) => ({ start: new Date(from), end: new Date(to) })
  const march = period('2024-03-01T00:00', '2024-04-01T00:00')
  const april = period('2024-04-01T00:00', '2024-05-01T00:00')

  test('keeps its rounded duration and its amount: months add up to a quarter', () => {
    const night = entry('2024-03-31T23:55', '2024-04-01T00:06')
    const rounding = { stepSeconds: 900, direction: 'up' } as const
    const totals = [march, april].map(
      (bounds) => tally([night], ['project'], { ...bounds, rounding, termsOf }).totals,
    )
    expect(totals).toMatchObject([
      { seconds: 300, roundedSeconds: 900, amounts: [{ amount: '23.75' }] },
      { seconds: 360, roundedSeconds: 0, amounts: [{ amount: '0.00' }] },
    ])
  })

  test('has the same parts with every grouping', () => {
    const long = entry('2024-03-30T22:00', '2024-04-02T03:00:07')
    for (const bounds of [march, april]) {
      const { totals } = tally([long], ['project'], { ...bounds, termsOf })
      expect(tally([long], ['day', 'project'], { ...bounds, termsOf }).totals).toEqual(totals)
      expect(tally([long], ['month'], { ...bounds, termsOf }).totals).toEqual(totals)
    }
  })
})

describe('any entries in any time zone', () => {
  const anyEntries = fc.array(
    fc
      .tuple(
        fc.date({ min: new Date('2023-10-01'), max: new Date('2024-12-31'), noInvalidDate: true }),
        fc.integer({ min: 0, max: 60 * 3600 * 1000 }),
      )
      .map(([start, lengthMs]) =>
        entry(start.toISOString(), new Date(start.getTime() + lengthMs).toISOString()),
      ),
    { maxLength: 12 },
  )
  const ofCalendar: Dimension[] = ['day', 'week', 'month', 'quarter', 'year', 'weekday']

  test('have the same sum in every grouping: the whole seconds of the entries', { tags: 'slow' }, () => {
    fc.assert(
      fc.property(anyZone, anyEntries, (zone, entries) =>
        inZone(zone, () => {
          const seconds = entries.reduce(
            (sum, { start, end }) => sum + Math.floor(((end ?? now).getTime() - start.getTime()) / 1000),
            0,
          )
          const rate = parseRate('33.335 KWD', 'rate', undefined)
          const options = {
            rounding: { stepSeconds: 360, direction: 'nearest' } as const,
            termsOf: () => ({ isBillable: true, rate }),
          }
          const { roundedSeconds, amounts } = tally(entries, ['project'], options).totals
          for (const by of ofCalendar) {
            const { totals, groups } = tally(entries, [by, 'project'], options)
            expect(totals).toMatchObject({ seconds, roundedSeconds, amounts, count: entries.length })
            expect(groups.reduce((sum, group) => sum + group.seconds, 0)).toBe(seconds)
            expect(groups.every((group) => group.roundedSeconds >= 0)).toBe(true)
          }
        }),
      ),
    )
  })
})
