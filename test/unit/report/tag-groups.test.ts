import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dimension } from '../../../src/records/report-names.js'
import { parseRate } from '../../../src/report/rates.js'
import type { TallyOptions } from '../../../src/report/tally.js'
import type { Entry } from '../../../src/tracking/entries/entry.js'
import { entry, tallyOf } from './fixtures.js'

const rate = parseRate('95 EUR', 'rate', undefined)

const tally = (entries: Entry[], by: Dimension[], options: Partial<TallyOptions> = {}) =>
  tallyOf(entries, by, { termsOf: () => ({ isBillable: true, rate }), ...options })

describe('groups of tags', () => {
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
    const rounded = tally(entries, ['tag'], { rounding, roundsTotals: true })
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
          const { totals, groups } = tally(entries, by)
          expect(totals).toEqual(tally(entries, ['project']).totals)
          if (by[0] !== 'tag') return
          for (const tag of tags) {
            const tagged = entries.filter(({ notes }) => notes.split(' ').includes(`#${tag}`))
            const group = groups.find(({ key }) => key === tag)
            expect(group?.count ?? 0).toBe(tagged.length)
            expect(group?.seconds ?? 0).toBe(tally(tagged, []).totals.seconds)
            expect(group?.amounts ?? []).toEqual(tally(tagged, []).totals.amounts)
          }
        },
      ),
    )
  })
})
