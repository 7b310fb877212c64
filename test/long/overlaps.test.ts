import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/tracking/entries/entry.js'
import { entry, findingsOf } from '../unit/report/health/entries.js'

const now = '2024-05-01T18:00'
const at = (clock: string) => `2024-05-01T${clock}`
const e = (id: number | string, from: string, to: string | null, more = {}) =>
  entry(id, at(from), to === null ? null : at(to), more)

const overlapFixes = (entries: Entry[]) =>
  findingsOf('overlap', entries, now).then((findings) =>
    findings.map(({ entries, seconds, mend }) => [entries, seconds / 60, mend.replaceAll('2024-05-01 ', '')]),
  )

test.each<[string, Entry[], [number[], number, string][]]>([
  ['ignores entries that touch', [e(1, '09:00', '10:00'), e(2, '10:00', '11:00')], []],
  ['ignores an entry without length', [e(1, '09:00', '10:00'), e(2, '09:30', '09:30')], []],
  [
    'ends the earlier entry in any order of the entries',
    [e(2, '10:30', '12:00'), e(1, '09:00', '11:00')],
    [[[1, 2], 30, 'tt edit 1 --to "10:30"']],
  ],
  [
    'splits an entry around another one',
    [e(1, '09:00', '12:00'), e(2, '10:00', '11:00', { link: 8 })],
    [[[1, 2], 60, 'tt split 1 --at "11:00" && tt edit 1 --to "10:00"']],
  ],
  [
    'moves the start of the longer of two entries with the same start',
    [e(1, '09:00', '12:00'), e(2, '09:00', '10:00', { link: 8 })],
    [[[1, 2], 60, 'tt edit 1 --from "10:00"']],
  ],
  [
    'moves the end of the longer of two entries with the same end',
    [e(1, '09:00', '12:00'), e(2, '11:00', '12:00', { link: 8 })],
    [[[1, 2], 60, 'tt edit 1 --to "11:00"']],
  ],
  [
    'removes an entry that others cover',
    [e(1, '09:00', '12:00'), e(2, '09:00', '10:00'), e(3, '10:00', '12:00')],
    [[[1, 2, 3], 180, 'tt rm 1 --yes']],
  ],
  [
    'removes an entry within another one of the same task, and keeps its notes',
    [
      e(1, '09:00', '12:00', { notes: 'page' }),
      e(2, '10:00', '11:00', { notes: 'logo' }),
      e(3, '13:00', '15:00'),
      e(4, '14:00', '15:00'),
    ],
    [
      [[1, 2], 60, "tt edit 1 --notes 'page; logo' && tt rm 2 --yes"],
      [[3, 4], 60, 'tt rm 4 --yes'],
    ],
  ],
  [
    'reports two overlaps for three entries at the same time',
    [e(1, '09:00', '11:00'), e(2, '10:00', '12:00'), e(3, '10:30', '13:00')],
    [
      [[1, 2], 60, 'tt edit 1 --to "10:00"'],
      [[2, 3], 90, 'tt edit 2 --to "10:30"'],
    ],
  ],
  [
    'splits a running timer after two others and adds it again between them',
    [e(1, '09:00', null, { notes: "it's mine" }), e(2, '09:30', '10:00'), e(3, '10:30', '11:00')],
    [
      [
        [1, 2, 3],
        60,
        `tt add 7 --yes --from "10:00" --to "10:30" -n 'it'\\''s mine' && tt split 1 --at "11:00" && tt edit 1 --to "09:30"`,
      ],
    ],
  ],
  [
    'moves the start of a running timer to the end of another entry',
    [e(1, '09:00', null), e(2, '09:00', '11:00', { link: 8 })],
    [[[1, 2], 120, 'tt edit 1 --from "11:00"']],
  ],
  [
    'suggests a placeholder for the task of an entry without one',
    [e(1, '09:00', '12:00', { link: null, notes: '' }), e(2, '10:00', '10:30'), e(3, '11:00', '11:30')],
    [
      [
        [1, 2, 3],
        60,
        'tt add TASK --yes --from "10:30" --to "11:00" && tt split 1 --at "11:30" && tt edit 1 --to "10:00"',
      ],
    ],
  ],
])('%s', async (_, entries, expected) => {
  expect(await overlapFixes(entries)).toEqual(expected)
})

test('an overlap has its entries, a start, an end and a duration', async () => {
  expect(
    await findingsOf('overlap', [e(1, '09:00', '11:00'), e(2, '10:30', '12:00', { link: 8 })], now),
  ).toEqual([
    {
      kind: 'overlap',
      from: new Date(at('10:30')),
      to: new Date(at('11:00')),
      seconds: 1800,
      entries: [1, 2],
      what: 'Website / Task 7 and Website / Task 8',
      mend: 'tt edit 1 --to "2024-05-01 10:30"',
    },
  ])
})

test('splits an entry around many others, or alternatively ends it at the first', async () => {
  const inside = ['09', '10', '11', '12', '13'].map((hour, index) => e(index + 2, `${hour}:00`, `${hour}:30`))
  const [overlap, ...more] = await findingsOf('overlap', [e(1, '08:00', '14:00'), ...inside], now)
  expect(more).toEqual([])
  expect(overlap).toMatchObject({
    entries: [1, 2, 3, 4, 5, 6],
    seconds: 9000,
    what: 'Website / Task 7 and 5 others',
    alternative: 'tt edit 1 --to "2024-05-01 09:00" # removes 2h 30m from entry 1',
  })
  expect(overlap?.mend.match(/tt add 7 --yes /g)).toHaveLength(4)
  expect(overlap?.mend).toMatch(
    / && tt split 1 --at "2024-05-01 13:30" && tt edit 1 --to "2024-05-01 09:00"$/,
  )
})

describe('the notes of an entry that others cover', () => {
  test('move to the same remaining entry in every command', async () => {
    const entries = [
      e(1, '09:00', '12:00', { notes: 'one' }),
      e(2, '09:00', '12:00', { notes: 'two' }),
      e(3, '09:00', '12:00', { notes: "it's three" }),
    ]
    const notes = `--notes 'it'\\''s three; two; one'`
    expect(await overlapFixes(entries)).toEqual([
      [[1, 2], 180, `tt edit 3 ${notes} && tt rm 1 --yes`],
      [[2, 3], 180, `tt edit 3 ${notes} && tt rm 2 --yes`],
    ])
  })

  test('are not moved when they are empty or the remaining entry has the same', async () => {
    const entries = [
      e(1, '09:00', '12:00', { notes: ' ' }),
      e(2, '09:00', '12:00', { notes: 'same ' }),
      e(3, '09:00', '12:00', { notes: 'same' }),
    ]
    expect((await overlapFixes(entries)).map(([, , mend]) => mend)).toEqual([
      'tt rm 1 --yes',
      'tt rm 2 --yes',
    ])
  })
})

test('the command quotes IDs and notes of a service', async () => {
  const [overlap] = await overlapFixes([
    e('$(reboot)', '09:00', '12:00', { notes: '; reboot\n`x`' }),
    e('~3', '10:00', '10:30'),
    e('~4', '11:30', '12:00'),
  ])
  expect(overlap?.[2]).toBe(
    `tt add 7 --yes --from "10:30" --to "11:30" -n "$(printf %b '; reboot\\0012\`x\`')" && tt edit '$(reboot)' --to "10:00"`,
  )
  expect(await overlapFixes([e('~3', '09:00', '11:00'), e(2, '10:00', '12:00')])).toMatchObject([
    [['~3', 2], 60, `tt edit '~3' --to "10:00"`],
  ])
})

describe('times in commands', () => {
  test('have an offset for the second of two equal wall times', async () => {
    const first = entry(1, '2024-10-27T00:00:00+02:00', '2024-10-27T04:00:00+01:00')
    const [inSummer] = await findingsOf(
      'overlap',
      [first, entry(2, '2024-10-27T02:30:00+02:00', '2024-10-27T05:00:00+01:00')],
      '2024-10-28',
    )
    const [inWinter] = await findingsOf(
      'overlap',
      [first, entry(2, '2024-10-27T02:30:00+01:00', '2024-10-27T05:00:00+01:00')],
      '2024-10-28',
    )
    expect(inSummer?.mend).toBe('tt edit 1 --to "2024-10-27 02:30"')
    expect(inWinter?.mend).toBe('tt edit 1 --to "2024-10-27T02:30:00+01:00"')
  })

  test('include seconds and milliseconds', async () => {
    const begun = (start: string) => overlapFixes([e(1, '09:00', '11:00'), e(2, start, '12:00')])
    expect((await begun('10:00:07'))[0]?.[2]).toBe('tt edit 1 --to "10:00:07"')
    expect((await begun('10:00:07.250'))[0]?.[2]).toBe('tt edit 1 --to "2024-05-01T10:00:07.250+02:00"')
  })
})

test('returns whole overlaps that touch the period', async () => {
  const later = entry(2, '2024-04-30T22:00', '2024-05-01T06:00')
  const overlapsUntil = (end: string) =>
    findingsOf('overlap', [entry(1, '2024-04-30T20:00', end), later], now, {
      period: { first: '2024-05-01', last: '2024-05-01' },
    })
  expect(await overlapsUntil('2024-05-01T02:00')).toMatchObject([{ seconds: 4 * 3600 }])
  expect(await overlapsUntil('2024-05-01T00:00')).toEqual([])
})

const minute = 60_000
const begin = new Date(at('06:00')).getTime()
const anyEntries = fc
  .array(fc.tuple(fc.nat(300), fc.nat(120)), { maxLength: 12 })
  .map((spans) =>
    spans.map(([from, length], index) =>
      entry(
        index,
        new Date(begin + from * minute).toISOString(),
        new Date(begin + (from + length) * minute).toISOString(),
      ),
    ),
  )

const minutesOf = (entries: Entry[]) => {
  const times = new Map<number, number>()
  for (const { start, end } of entries) {
    for (let ms = start.getTime(); ms < (end?.getTime() ?? 0); ms += minute)
      times.set(ms, (times.get(ms) ?? 0) + 1)
  }
  return times
}

test('finds exactly the times with two entries', async () => {
  await fc.assert(
    fc.asyncProperty(anyEntries, async (entries) => {
      const findings = await findingsOf('overlap', entries, now)
      const doubled = [...minutesOf(entries)].filter(([, times]) => times > 1).map(([ms]) => ms)
      const covered = (ms: number) =>
        findings.some(({ from, to }) => from.getTime() <= ms && ms < to.getTime())
      expect(doubled.filter((ms) => !covered(ms))).toEqual([])
      const sharedByAll = [...minutesOf(entries).values()].reduce((sum, times) => sum + times - 1, 0)
      expect(findings.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(sharedByAll * 60)
      expect(findings.length).toBeLessThanOrEqual(entries.length)
    }),
  )
})

test('100,000 nested entries give one overlap per entry, not per pair', async () => {
  const day = new Date(at('00:00')).getTime()
  const nested = Array.from({ length: 100_000 }, (_, index) =>
    entry(index, new Date(day + index).toISOString(), new Date(day + 40_000_000 - index * 3).toISOString()),
  )
  const findings = await findingsOf('overlap', nested, now)
  expect(findings.length).toBeGreaterThan(99_000)
  expect(findings.reduce((sum, { entries }) => sum + entries.length, 0)).toBeLessThan(200_001)
}, 120_000)
