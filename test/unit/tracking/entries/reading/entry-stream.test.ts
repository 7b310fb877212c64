import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WireRecord } from '../../../../../src/api-client/types.js'
import { Cache } from '../../../../../src/outbox/cache/cache.js'
import { Outbox } from '../../../../../src/outbox/outbox.js'
import { overlayPending, type WithPending } from '../../../../../src/outbox/pending.js'
import { mergePendingStream } from '../../../../../src/tracking/entries/reading/entry-stream.js'
import { openTestState } from '../../../outbox/fixtures.js'

const typedAt = new Date('2024-05-08T12:00:00Z')
/** Returns the time this number of hours after the start of May. */
const hour = (hours: number) => new Date(Date.UTC(2024, 4, 1, hours)).toISOString()
const entry = (id: number, hours: number): WireRecord => ({
  id,
  time_start: hour(hours),
  time_end: hour(hours + 1),
  notes: `entry ${id}`,
  task_link_id: 1,
})

async function setUp() {
  const state = await openTestState()
  const [outbox, cache] = [new Outbox(state), new Cache(state.database)]
  return {
    outbox,
    cache,
    /** Returns the batches of the service merged with the pending changes, as one list. */
    async merge(batches: AsyncIterable<WireRecord[]>, predicates = {}) {
      const found: WithPending[] = []
      for await (const batch of mergePendingStream(batches, { outbox, cache }, predicates))
        found.push(...batch)
      return found
    },
  }
}

/** A service with these records and a list in batches by position, as the real one sends it. */
class Service {
  readonly records = new Map<string, WireRecord>()

  constructor(records: readonly WireRecord[]) {
    for (const record of records) this.records.set(String(record.id), record)
  }

  get inOrder(): WireRecord[] {
    return [...this.records.values()].sort(
      (a, b) => String(a.time_start).localeCompare(String(b.time_start)) || Number(a.id) - Number(b.id),
    )
  }

  /** `between` is called before each batch with its number. */
  async *list(size: number, between: (batch: number) => void): AsyncGenerator<WireRecord[]> {
    const seen = new Set<string>()
    for (let batch = 0, last: WireRecord | undefined; ; batch++) {
      between(batch)
      const after = ({ time_start: start, id }: WireRecord) =>
        !last ||
        String(start) > String(last.time_start) ||
        (start === last.time_start && Number(id) > Number(last.id))
      const next = this.inOrder.filter(after).slice(0, size)
      last = next.at(-1)
      if (!last) return
      // As the reader does, return a moved record once.
      yield next.filter(({ id }) => !seen.has(String(id)) && seen.add(String(id)))
    }
  }
}

type Typed =
  | { op: 'create'; hours: number; inDoubt: boolean }
  | { op: 'update'; of: number; hours: number | undefined }
  | { op: 'delete'; of: number }

const typed: fc.Arbitrary<Typed> = fc.oneof(
  fc.record({ op: fc.constant('create' as const), hours: fc.nat(200), inDoubt: fc.boolean() }),
  fc.record({
    op: fc.constant('update' as const),
    of: fc.nat(30),
    hours: fc.option(fc.nat(200), { nil: undefined }),
  }),
  fc.record({ op: fc.constant('delete' as const), of: fc.nat(30) }),
)

/** Returns the visible fields, without those that depend on whether the record has an ID yet. */
const shown = (records: readonly { record: WireRecord }[]) =>
  records.map(({ record: { notes, time_start: start } }) => `${notes} ${start}`).sort()

test('shows each entry once with its changes, whatever another process delivers between two batches', {
  tags: 'slow',
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(30), { minLength: 1 }),
      fc.array(typed, { maxLength: 6 }),
      fc.array(fc.option(fc.nat(6), { nil: undefined }), { minLength: 6, maxLength: 6 }),
      fc.integer({ min: 1, max: 8 }),
      async (ids, lines, deliveredAt, size) => {
        const { outbox, cache, merge } = await setUp()
        const service = new Service(ids.map((id) => entry(id, id * 5)))
        let nextId = 100
        lines.forEach((line, index) => {
          const notes = `change ${index}`
          if (line.op === 'create') {
            const fields = { time_start: hour(line.hours), time_end: hour(line.hours + 1), notes }
            const change = outbox.append({ op: 'create', kind: 'entry', fields }, typedAt)
            if (!line.inDoubt || !change) return
            outbox.update({ ...change, outcomeUnknown: true, knownUntil: cache.lastRow() })
            // The service has executed the change, and the response was lost.
            if (index % 2 === 0) service.records.set(String(nextId), { id: nextId++, ...fields })
          } else {
            const base = service.records.get(String(line.of))
            if (!base || outbox.changesOf('entry', String(line.of)).some(({ op }) => op === 'delete')) return
            const more = 'hours' in line && line.hours !== undefined ? { time_start: hour(line.hours) } : {}
            const fields = line.op === 'update' ? { notes, ...more } : {}
            outbox.append({ op: line.op, kind: 'entry', record: base, fields }, typedAt)
          }
        })
        const waiting = outbox.all()
        const created = new Set(
          waiting.filter(({ outcomeUnknown }) => outcomeUnknown).map(({ fields }) => fields.notes),
        )
        const before = service.inOrder.filter(({ notes }) => !created.has(notes))
        const expected = shown(overlayPending(before, waiting))

        const deliver = (batch: number) => {
          waiting.forEach((change, index) => {
            if (deliveredAt[index] !== batch || !outbox.get(change.seq)) return
            const { op, record, fields, outcomeUnknown } = change
            if (op === 'delete') service.records.delete(record)
            if (op === 'update') {
              const known = service.records.get(record)
              if (known) service.records.set(record, { ...known, ...fields })
            }
            if (op === 'create') {
              const found = outcomeUnknown
                ? service.inOrder.find(({ notes }) => notes === fields.notes)
                : undefined
              const id = String(found?.id ?? nextId++)
              service.records.set(id, { ...fields, id: Number(id) })
              outbox.renameRecord('entry', record, id)
            }
            outbox.remove(change.seq)
          })
        }
        const found = await merge(service.list(size, deliver))
        expect(shown(found)).toEqual(expected)
      },
    ),
    { numRuns: 150 },
  )
})

test('shows a create that another process has delivered as the service has it', async () => {
  const { outbox, merge } = await setUp()
  const fields = { time_start: hour(5), notes: 'new' }
  const change = outbox.append({ op: 'create', kind: 'entry', fields }, typedAt)
  const service = new Service([entry(1, 1)])
  const deliver = (batch: number) => {
    if (batch !== 1 || !change) return
    service.records.set('7', { id: 7, ...fields, created_at: hour(6) })
    outbox.renameRecord('entry', change.record, '7')
    outbox.remove(change.seq)
  }
  const found = await merge(service.list(1, deliver))
  expect(found[1]).toEqual({ record: { id: 7, ...fields, created_at: hour(6) }, pending: false })
})

test('does not apply changes that another process adds while the list arrives', async () => {
  const { outbox, merge } = await setUp()
  const service = new Service([entry(1, 1), entry(2, 2)])
  const type = (batch: number) => {
    if (batch === 1) outbox.append({ op: 'delete', kind: 'entry', record: entry(1, 1) }, typedAt)
  }
  const found = await merge(service.list(1, type))
  expect(found).toEqual([entry(1, 1), entry(2, 2)].map((record) => ({ record, pending: false })))
})

test('delays only records that pending changes may affect', async () => {
  const { outbox, cache } = await setUp()
  outbox.append({ op: 'create', kind: 'entry', fields: { time_start: hour(240) } }, typedAt)
  outbox.append({ op: 'update', kind: 'entry', record: entry(3, 3), fields: { notes: 'x' } }, typedAt)
  const service = new Service(Array.from({ length: 200 }, (_, id) => entry(id, id * 10)))
  const sizes = []
  for await (const batch of mergePendingStream(
    service.list(50, () => {}),
    { outbox, cache },
    {},
  ))
    sizes.push(batch.length)
  // Seven entries of the days around 11 May, entry 3, and the create.
  expect(sizes.slice(0, -1).reduce((sum, size) => sum + size)).toBeGreaterThan(185)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(201)
})

test('applies the predicates to pending entries', async () => {
  const { outbox, merge } = await setUp()
  for (const notes of ['match', 'other'])
    outbox.append({ op: 'create', kind: 'entry', fields: { time_start: hour(1), notes } }, typedAt)
  const found = await merge(
    new Service([]).list(1, () => {}),
    { notes_cont: 'mat' },
  )
  expect(found.map(({ record }) => record.notes)).toEqual(['match'])
})
