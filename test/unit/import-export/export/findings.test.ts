import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExportedEntry, ExportFormat } from '../../../../src/import-export/export/export-format.js'
import { exportedEntry, now, write } from './fixtures.js'

const entry = (id: number, startMinute: number, endMinute: number | null, notes = '') => {
  const at = (minute: number) => new Date(now.getTime() + minute * 60_000).toISOString()
  return exportedEntry(at(startMinute), endMinute === null ? null : at(endMinute), { id, notes })
}

const writer = () => ({ head: '', row: ({ id }: ExportedEntry) => `${id} `, end: () => '' })
/** Writes the IDs of entries in a format with these properties. */
const writeIds = (properties: Partial<ExportFormat>, entries: ExportedEntry[]) =>
  write({ running: 'all', writer, ...properties }, entries)

describe('running entries', () => {
  const entries = [entry(1, -60, null), entry(2, -50, -40), entry(3, -30, null), entry(4, -20, -10)]

  test.each([
    ['all', [1, 2, 3, 4], []],
    ['none', [2, 4], [1, 3]],
    ['last', [2, 4, 3], [1]],
  ] as const)('of a format with %s of them', async (running, expected, omitted) => {
    const { text, findings } = await writeIds({ running }, entries)
    expect(text).toBe(expected.map((id) => `${id} `).join(''))
    expect(findings.entries).toBe(expected.length)
    expect(findings.omittedRunning.count).toBe(omitted.length)
    expect(findings.omittedRunning.first.map(({ id }) => id)).toEqual(omitted)
  })
})

test.each([
  ['has none', 'Watson', 2],
  ['has them', undefined, 0],
])('entries with notes are counted for a format that %s', async (_, lacksNotes, count) => {
  const entries = [entry(1, 1, 2, 'a'), entry(2, 2, 3, ''), entry(3, 3, 4, 'b')]
  const { findings } = await writeIds(lacksNotes === undefined ? {} : { lacksNotes }, entries)
  expect(findings.lostNotes).toBe(count)
})

describe('overlaps', () => {
  test('are each entry that starts before an earlier one ends, which is now for a running one', async () => {
    const { findings } = await writeIds({ rejectsOverlaps: 'Timewarrior' }, [
      entry(1, -60, null),
      entry(2, -1, 5),
      entry(3, 5, 5),
      entry(4, 5, 7),
      entry(5, 6, 9),
    ])
    expect(findings.overlaps.first.map(([a, b]) => [a.id, b.id])).toEqual([
      [1, 2],
      [4, 5],
    ])
  })

  test('are found exactly if two entries have a common time', async () => {
    const spans = fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 5 })), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(spans, async (pairs) => {
        const entries = pairs
          .sort((a, b) => a[0] - b[0])
          .map(([start, length], index) => entry(index, start, start + length))
        const { findings } = await writeIds({ rejectsOverlaps: 'Timewarrior' }, entries)
        const overlapping = entries.filter((late, index) =>
          entries.slice(0, index).some((early) => (early.end as Date) > late.start),
        )
        expect(findings.overlaps.count).toBe(overlapping.length)
      }),
    )
  })

  test('are not searched for a format that can express them', async () => {
    const { findings } = await writeIds({}, [entry(1, 0, 60), entry(2, 10, 20)])
    expect(findings.overlaps.count).toBe(0)
  })
})
