import { expect, test } from 'vitest'
import type { SourceRow } from '../../../../src/import-export/import/format.js'
import { sourceEntry } from '../../../../src/import-export/import/format.js'
import { textSourceOf } from '../../../../src/import-export/import/source/text-source.js'
import { findOverlaps } from '../../../../src/import-export/importer/preview.js'
import { readSource, type SourceFilter } from '../../../../src/import-export/importer/read-source.js'
import { entry, Profile, stage } from './profile.js'

test('combinations have the number and the total of their entries, and tags only without a project', async () => {
  const staging = await stage([
    entry('09:00-10:00', { tags: ['one'] }),
    entry('10:00-10:30', { tags: ['two'] }),
    entry('11:00', { client: null, project: null, task: null, tags: ['b', 'a'] }),
    entry('12:00-12:15', { client: null, project: null, task: null, tags: ['a', 'b'] }),
  ])
  expect(staging.combinations()).toEqual([
    {
      ...{ id: 1, client: 'Acme', project: 'Website', task: 'Design', tags: [], entries: 2, seconds: 5400 },
      assignment: { kind: 'existing', id: 7, label: 'Acme / Website / Design' },
    },
    {
      ...{ id: 2, client: null, project: null, task: null, tags: ['a', 'b'], entries: 2, seconds: 900 },
      assignment: { kind: 'existing', id: 7, label: 'Acme / Website / Design' },
    },
  ])
})

test('an assignment to a new link or to none replaces the earlier one', async () => {
  const staging = await stage([entry('09:00-10:00')])
  for (const assignment of [
    { kind: 'new', client: null, project: 'Website', task: 'Design' },
    { kind: 'existing', id: '7', label: 'Website / Design' },
  ] as const) {
    staging.assign(1, assignment)
    expect(staging.combinations()[0]?.assignment).toEqual(assignment)
  }
  staging.assign(1, undefined)
  expect(staging.combinations()[0]?.assignment).toBeUndefined()
})

/** Reads rows as if a format had yielded them. */
async function reading(rows: SourceRow[], filter?: SourceFilter) {
  const staging = await stage([])
  async function* read() {
    yield* rows
  }
  const format = { name: 'toggl' as const, detect: () => true, read }
  const options = { now: new Date('2024-06-01'), workStartMinutes: 540 }
  // `stage` has completed the IDs of no entries.
  staging.database.exec(`DROP INDEX temp.${staging.tables.entry}_external`)
  const found = await readSource(textSourceOf('toggl.csv', ''), format, options, staging, filter)
  const stored = staging.database.prepare(`SELECT start_at FROM ${staging.tables.entry} ORDER BY position`)
  const starts = (stored.all() as { start_at: number }[]).map(({ start_at }) =>
    new Date(start_at).toISOString().slice(11, 16),
  )
  return { ...found, starts }
}

const invalid = (line: number): SourceRow => ({
  ...{ kind: 'invalid', line, column: 2, field: 'Start', value: 'x', expectation: 'a date' },
})

test('the reading counts skipped and invalid rows, notes and people', async () => {
  const skipped = (reason: string): SourceRow => ({ kind: 'skipped', line: 1, reason })
  const note: SourceRow = { kind: 'note', message: 'The dates begin with the day.' }
  const rows = [skipped('breaks'), note, invalid(4), skipped('breaks'), skipped('events of a whole day')]
  const entries = [
    entry('09:00-10:00', { person: 'ann@example.com', amount: { value: '5', currency: 'EUR' } }),
    entry('10:00-11:00', { person: 'bob@example.com' }),
    entry('11:00-12:00', { person: 'bob@example.com' }),
  ]
  expect(await reading([...rows, ...entries])).toEqual({
    entries: 3,
    starts: ['09:00', '10:00', '11:00'],
    invalid: [invalid(4)],
    invalidCount: 1,
    skipped: [
      { reason: 'breaks', count: 2 },
      { reason: 'events of a whole day', count: 1 },
    ],
    notes: ['The dates begin with the day.'],
    people: [
      { name: 'bob@example.com', entries: 2 },
      { name: 'ann@example.com', entries: 1 },
    ],
    hasAmounts: true,
  })
})

test('only the entries of a person and of a period are read', async () => {
  const entries = [
    entry('09:00-10:00', { person: 'ann' }),
    entry('10:00-11:00', { person: 'ann' }),
    entry('11:00-12:00', { person: 'bob' }),
    entry('12:00-13:00', { person: 'ann' }),
  ]
  const since = new Date('2024-05-01T10:00:00Z')
  const until = new Date('2024-05-01T12:00:00Z')
  expect(await reading(entries, { person: 'ann', since, until })).toMatchObject({
    starts: ['10:00'],
    skipped: [
      { reason: 'entries outside the period', count: 2 },
      { reason: 'entries of other users', count: 1 },
    ],
  })
})

test('of entries with the same ID, one remains; another content is an invalid row', async () => {
  const given = (line: number, times: string) => entry(times, { line, sourceId: '5' })
  const read = await reading([given(2, '09:00-10:00'), given(3, '09:00-10:00'), given(4, '09:00-11:00')])
  expect(read).toMatchObject({
    entries: 1,
    starts: ['09:00'],
    skipped: [{ reason: 'repeated entries', count: 1 }],
  })
  const expectation = 'an ID that only one entry has: that of line 2 is another one'
  expect(read.invalid).toEqual([
    { kind: 'invalid', line: 4, column: 1, field: 'ID', value: 'toggl/5', expectation },
  ])
})

test('more than a thousand invalid rows are counted, but not kept', async () => {
  const read = await reading(Array.from({ length: 1500 }, (_, at) => invalid(at + 1)))
  expect(read.invalidCount).toBe(1500)
  expect(read.invalid).toHaveLength(1000)
})

test('new entries that overlap existing ones are found, also those within a longer one', async () => {
  const profile = new Profile()
  const existing = (id: number, start: string, end: string | null) => ({
    ...{ id, externalId: null, notes: '', taskLink: 7 },
    start: new Date(`2024-05-01T${start}:00Z`),
    end: end === null ? null : new Date(`2024-05-01T${end}:00Z`),
  })
  profile.existing.push(
    existing(1, '08:00', '12:00'),
    existing(2, '08:30', '08:45'),
    existing(3, '14:00', null),
  )
  const staging = await stage([
    entry('07:00-08:00', { line: 2 }),
    entry('09:00-10:00', { line: 3 }),
    entry('11:30-12:30', { line: 4 }),
    entry('12:00-13:00', { line: 5 }),
    entry('13:30-14:30', { line: 6 }),
    entry('15:00-16:00', { line: 7 }),
    entry('17:00-17:30', { line: 8 }),
    sourceEntry({ line: 9, start: new Date('2024-05-01T09:00:00Z'), end: new Date('2024-05-01T09:00:00Z') }),
  ])
  await profile.compare(staging)
  const { count, examples } = findOverlaps(staging, new Date('2024-05-01T16:00:00Z'))
  expect(count).toBe(4)
  expect(examples.map(({ line, existing }) => [line, existing])).toEqual([
    [3, '1'],
    [4, '1'],
    [6, '3'],
    [7, '3'],
  ])
})
