import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExportedEntry, ExportFormat } from '../../../../src/import-export/export/export-format.js'
import { ExportFindings, expressibleEntries } from '../../../../src/import-export/export/findings.js'

const now = new Date('2024-05-08T12:00:00Z')
const entry = (id: number, startMinute: number, endMinute: number | null): ExportedEntry => {
  const at = (minute: number) => new Date(now.getTime() + minute * 60_000)
  return { id, start: at(startMinute), end: endMinute === null ? null : at(endMinute) } as ExportedEntry
}
const format = (properties: Partial<ExportFormat>): ExportFormat => ({
  running: 'all',
  writer: () => ({ head: '', row: () => '', end: () => '' }),
  ...properties,
})

async function collect(properties: Partial<ExportFormat>, entries: ExportedEntry[]) {
  const findings = new ExportFindings()
  async function* batches() {
    for (const each of entries) yield [each]
  }
  const written: unknown[] = []
  for await (const batch of expressibleEntries(format(properties), batches(), { findings, now }))
    written.push(...batch.map(({ id }) => id))
  return { written, findings }
}

describe('running entries', () => {
  const entries = [entry(1, -60, null), entry(2, -50, -40), entry(3, -30, null), entry(4, -20, -10)]

  test.each([
    ['all', [1, 2, 3, 4], []],
    ['none', [2, 4], [1, 3]],
    ['last', [2, 4, 3], [1]],
  ] as const)('of a format with %s of them', async (running, expected, omitted) => {
    const { written, findings } = await collect({ running }, entries)
    expect(written).toEqual(expected)
    expect(findings.entries).toBe(expected.length)
    expect(findings.omittedRunning.count).toBe(omitted.length)
    expect(findings.omittedRunning.first.map(({ id }) => id)).toEqual(omitted)
  })
})

test.each([
  ['has none', 'Watson', 2],
  ['has them', undefined, 0],
])('entries with notes are counted for a format that %s', async (_, lacksNotes, count) => {
  const withNotes = (id: number, notes: string) => ({ ...entry(id, id, id + 1), notes })
  const entries = [withNotes(1, 'a'), withNotes(2, ''), withNotes(3, 'b')]
  const { findings } = await collect(lacksNotes === undefined ? {} : { lacksNotes }, entries)
  expect(findings.lostNotes).toBe(count)
})

describe('overlaps', () => {
  test('are each entry that starts before an earlier one ends, which is now for a running one', async () => {
    const { findings } = await collect({ rejectsOverlaps: 'Timewarrior' }, [
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
        const { findings } = await collect({ rejectsOverlaps: 'Timewarrior' }, entries)
        const overlapping = entries.filter((late, index) =>
          entries.slice(0, index).some((early) => (early.end as Date) > late.start),
        )
        expect(findings.overlaps.count).toBe(overlapping.length)
      }),
    )
  })

  test('are not searched for a format that can express them', async () => {
    const { findings } = await collect({}, [entry(1, 0, 60), entry(2, 10, 20)])
    expect(findings.overlaps.count).toBe(0)
  })
})
