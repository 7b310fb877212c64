import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordKind, WireFields, WireRecord } from '../../../src/api/types.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import type { NewChange } from '../../../src/outbox/outbox-table.js'
import { applyPending, type WithPending } from '../../../src/outbox/pending-overlay.js'
import type { QueuedChange } from '../../../src/outbox/queued-change.js'
import { openTestState } from './fixtures.js'

const now = new Date('2024-05-08T12:00:00Z')
const record: WireRecord = { id: 5, notes: 'old', time_start: '2024-05-08T07:00:00.000Z', time_end: null }

async function newOutbox() {
  const state = await openTestState()
  const outbox = new Outbox(state)
  const append = (change: Partial<NewChange> & Pick<NewChange, 'op'>) =>
    outbox.append({ kind: 'entry', fields: {}, base: null, ...change }, now)
  return {
    state,
    outbox,
    append,
    create: (fields: WireFields = { notes: 'new' }) => present(append({ op: 'create', fields })),
    edit: (fields: WireFields, base: WireRecord = record) =>
      append({ op: 'update', fields, base, record: String(base.id) }),
    remove: (base: WireRecord = record) => append({ op: 'delete', base, record: String(base.id) }),
    /** Stores it as after a request with an unknown outcome. */
    doubt: (change: QueuedChange) =>
      outbox.update({ ...change, attempts: 1, knownUntil: 7, outcomeUnknown: true }),
    refuse: (change: QueuedChange) =>
      outbox.update({ ...change, state: 'refused', rejection: { message: 'No.', status: 422 } }),
  }
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Nothing is left of it.')
  return value
}

const changesOf = (changes: QueuedChange[]) =>
  changes.map(({ op, record, fields, state }) => ({ op, record, fields, state }))

describe('a change', () => {
  test('is stored with its fields, with a local ID and a key when it is a create', async () => {
    const { create, edit, outbox } = await newOutbox()
    const made = create({ notes: 'grüße', task_link_id: 'a-1', tags: ['x', { y: 1 }] })
    expect(made).toEqual({
      seq: 1,
      kind: 'entry',
      op: 'create',
      record: '~1',
      fields: { notes: 'grüße', task_link_id: 'a-1', tags: ['x', { y: 1 }] },
      base: null,
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      state: 'waiting',
      attempts: 0,
      outcomeUnknown: false,
      sentAt: null,
      sentUptimeMs: null,
      sends: 0,
      knownUntil: null,
      rejection: null,
      typedAt: now,
      waitsFor: null,
    })
    expect(edit({ notes: 'x' })).toMatchObject({ seq: 2, record: '5', base: record })
    expect(outbox.all()).toHaveLength(2)
    expect(outbox.pendingCount()).toBe(2)
  })

  test('never gets the number of a removed one', async () => {
    const { create, outbox } = await newOutbox()
    outbox.remove(create().seq)
    expect(create().record).toBe('~2')
  })

  test('stores its state', async () => {
    const { create, outbox } = await newOutbox()
    const made = create()
    const aside: QueuedChange = {
      ...made,
      state: 'conflict',
      attempts: 3,
      outcomeUnknown: true,
      knownUntil: 12,
      rejection: { message: 'Gone.', gone: true },
    }
    outbox.update(aside)
    expect(outbox.get(made.seq)).toEqual(aside)
  })

  test('is restored after an update or a removal', async () => {
    const { create, outbox, refuse } = await newOutbox()
    const made = create()
    refuse(made)
    const before = present(outbox.get(made.seq))
    outbox.update({ ...made, fields: {} })
    outbox.restore(before)
    expect(outbox.all()).toEqual([before])
    outbox.remove(made.seq)
    outbox.restore(before)
    expect(outbox.all()).toEqual([before])
  })
})

describe('a change that waits for another', () => {
  test('is next when the other is gone or rejected, and does not wait for a local timer', async () => {
    const { append, create, outbox, refuse } = await newOutbox()
    const first = create()
    const second = present(append({ op: 'update', fields: { notes: 'x' }, record: '5', waitsFor: first.seq }))
    const third = present(append({ op: 'delete', record: '6', waitsFor: second.seq }))
    expect(outbox.next()).toEqual(first)
    refuse(first)
    expect(outbox.next()).toBeUndefined()
    expect(outbox.dependents(first.seq)).toEqual([second, third])
    outbox.update({ ...first, state: 'held' })
    expect(outbox.next()).toEqual(second)
    outbox.remove(second.seq)
    expect(outbox.next()).toEqual(third)
  })

  test('is not merged into an earlier update', async () => {
    const { edit, append, outbox } = await newOutbox()
    edit({ notes: 'x' })
    append({ op: 'update', fields: { time_end: 'now' }, record: '5', base: record, isSeparate: true })
    expect(outbox.all()).toHaveLength(2)
  })
})

describe('an unsent change', () => {
  test('is merged with later changes', async () => {
    const { create, edit, outbox } = await newOutbox()
    const { record: id } = create({ notes: 'a', task_link_id: 1 })
    edit({ notes: 'b' }, { id })
    edit({ notes: 'c', time_end: 'now' }, { id })
    expect(changesOf(outbox.all())).toEqual([
      {
        op: 'create',
        record: id,
        fields: { notes: 'c', task_link_id: 1, time_end: 'now' },
        state: 'waiting',
      },
    ])
  })

  test('is removed with its record', async () => {
    const { create, edit, remove, outbox } = await newOutbox()
    const { record: id } = create()
    edit({ notes: 'b' }, { id })
    expect(remove({ id })).toBeUndefined()
    expect(outbox.all()).toEqual([])
  })

  test('of a record at the service becomes one update, one deletion, or nothing', async () => {
    const { edit, remove, outbox } = await newOutbox()
    edit({ notes: 'b' })
    edit({ time_end: 'now' })
    expect(changesOf(outbox.all())).toMatchObject([{ op: 'update', fields: { notes: 'b', time_end: 'now' } }])
    edit({ notes: 'old' })
    expect(changesOf(outbox.all())).toMatchObject([{ fields: { time_end: 'now' } }])
    expect(edit({ time_end: null })).toBeUndefined()
    expect(outbox.all()).toEqual([])
    edit({ notes: 'b' })
    remove({ ...record, notes: 'b' })
    // What the service has is what the deletion is compared with.
    expect(outbox.all()).toMatchObject([{ op: 'delete', base: record }])
    expect(outbox.undelete('entry', '5')).toEqual(record)
    expect(outbox.all()).toEqual([])
  })

  test('belongs to one kind of records', async () => {
    const { append, edit, outbox } = await newOutbox()
    edit({ notes: 'b' })
    append({
      kind: 'expense',
      op: 'update',
      record: '5',
      base: { id: 5, notes: 'x' },
      fields: { notes: 'c' },
    })
    append({ kind: 'expense', op: 'delete', record: '5', base: { id: 5, notes: 'x' } })
    expect(outbox.all()).toMatchObject([
      { kind: 'entry', op: 'update' },
      { kind: 'expense', op: 'delete' },
    ])
  })
})

describe('a change with an unknown outcome', () => {
  test('stays as it is, and later changes after it are merged', async () => {
    const { create, edit, remove, doubt, outbox } = await newOutbox()
    const made = create()
    doubt(made)
    const there = present(outbox.get(made.seq))
    edit({ notes: 'b' }, { id: made.record, notes: 'new' })
    edit({ notes: 'c' }, { id: made.record, notes: 'b' })
    expect(outbox.all()).toMatchObject([there, { op: 'update', record: made.record, fields: { notes: 'c' } }])
    remove({ id: made.record })
    expect(outbox.all()).toMatchObject([there, { op: 'delete', record: made.record }])
    expect(outbox.next()?.seq).toBe(made.seq)
  })

  test('stays when it is an update or a deletion', async () => {
    const { edit, remove, doubt, outbox } = await newOutbox()
    doubt(present(edit({ notes: 'b' })))
    edit({ notes: 'old' }, { ...record, notes: 'b' })
    expect(outbox.all()).toMatchObject([
      { outcomeUnknown: true },
      { outcomeUnknown: false, fields: { notes: 'old' } },
    ])
    doubt(present(remove()))
    expect(outbox.undelete('entry', '5')).toBeUndefined()
    expect(outbox.all()).toMatchObject([{ op: 'update' }, { op: 'delete' }])
  })
})

describe('a rejected change', () => {
  test('is sent again after a correction, with the changes after it', async () => {
    const { create, edit, doubt, refuse, outbox } = await newOutbox()
    const made = create({ notes: 'a', task_link_id: 1 })
    doubt(made)
    edit({ notes: 'b' }, { id: made.record })
    refuse(made)
    expect(outbox.next()).toBeUndefined()
    edit({ task_link_id: 2 }, { id: made.record })
    expect(outbox.all()).toMatchObject([
      {
        op: 'create',
        state: 'waiting',
        fields: { notes: 'b', task_link_id: 2 },
        attempts: 0,
        outcomeUnknown: false,
        rejection: null,
      },
    ])
    expect(outbox.next()?.key).not.toBe(made.key)
  })

  test('stays after changes of other fields, and is replaced by those of the same', async () => {
    const { edit, refuse, outbox } = await newOutbox()
    refuse(present(edit({ notes: 'b', time_end: 'now' })))
    outbox.supersede('entry', '5', ['task_link_id'])
    expect(changesOf(outbox.all())).toMatchObject([{ fields: { notes: 'b', time_end: 'now' } }])
    outbox.supersede('entry', '5', ['notes'])
    expect(changesOf(outbox.all())).toMatchObject([{ fields: { time_end: 'now' }, state: 'refused' }])
    outbox.supersede('entry', '5', ['time_end'])
    expect(outbox.all()).toEqual([])
  })

  test('does not block other records', async () => {
    const { create, edit, refuse, outbox } = await newOutbox()
    refuse(create())
    const waiting = present(edit({ notes: 'b' }))
    expect(outbox.next()).toEqual(waiting)
  })

  test('is removed when its record is deleted', async () => {
    const { create, edit, remove, refuse, outbox } = await newOutbox()
    const made = create()
    refuse(made)
    expect(remove({ id: made.record })).toBeUndefined()
    refuse(present(edit({ notes: 'b' })))
    remove()
    expect(changesOf(outbox.all())).toMatchObject([{ op: 'delete', state: 'waiting' }])
  })
})

describe('a local timer', () => {
  const held = { op: 'create', state: 'held', fields: { notes: 'a' } } as const

  test('is merged with changes, and pending once it has an end', async () => {
    const { append, edit, outbox } = await newOutbox()
    const { record: id } = present(append(held))
    expect(outbox.next()).toBeUndefined()
    edit({ notes: 'b' }, { id })
    expect(changesOf(outbox.all())).toMatchObject([{ state: 'held', fields: { notes: 'b' } }])
    edit({ time_end: 'now' }, { id })
    expect(outbox.next()).toMatchObject({ state: 'waiting', fields: { notes: 'b', time_end: 'now' } })
  })

  test.each([
    [[{ notes: 'b' }], { state: 'held', fields: { notes: 'b' } }],
    [[{ notes: 'b' }, { time_end: 'now' }], { state: 'waiting', fields: { notes: 'b', time_end: 'now' } }],
  ])('is merged with the changes after it: %j', async (behind, expected) => {
    const { create, edit, doubt, outbox } = await newOutbox()
    const made = create({ notes: 'a' })
    doubt(made)
    for (const fields of behind) edit(fields, { id: made.record })
    expect(outbox.makeLocal(made)).toMatchObject(expected)
    expect(outbox.all()).toMatchObject([{ ...expected, outcomeUnknown: false }])
  })

  test('is removed when it was deleted', async () => {
    const { create, remove, doubt, outbox } = await newOutbox()
    const made = create()
    doubt(made)
    remove({ id: made.record })
    expect(outbox.makeLocal(made)).toBeUndefined()
    expect(outbox.all()).toEqual([])
  })
})

describe('a name', () => {
  test('resolves to the latest record that replaced it', async () => {
    const { outbox } = await newOutbox()
    outbox.renameRecord('entry', '~1', '5')
    outbox.setAlias('entry', '5', '~2')
    outbox.renameRecord('entry', '~2', '9')
    for (const name of ['~1', '5', '~2', '9']) expect(outbox.resolve('entry', name)).toBe('9')
    expect(outbox.resolve('expense', '~1')).toBe('~1')
    expect(outbox.isCreatedHere('entry', '9')).toBe(true)
    expect(outbox.isCreatedHere('entry', '12')).toBe(false)
  })

  test('is updated in pending changes', async () => {
    const { create, edit, doubt, outbox } = await newOutbox()
    const made = create()
    doubt(made)
    edit({ notes: 'b' }, { id: made.record })
    outbox.remove(made.seq)
    outbox.renameRecord('entry', made.record, '5')
    expect(outbox.all()).toMatchObject([{ record: '5' }])
    edit({ notes: 'c' }, { id: made.record })
    expect(outbox.all()).toMatchObject([{ record: '5', fields: { notes: 'c' } }])
  })

  test('resolves to itself when a service uses an ID again', async () => {
    const { outbox } = await newOutbox()
    outbox.setAlias('entry', '5', '~2')
    outbox.renameRecord('entry', '~2', '5')
    for (const name of ['5', '~2']) expect(outbox.resolve('entry', name)).toBe('5')
  })
})

test('the outbox shows the latest values and sends no more changes than there were commands, whether outcomes are known or not', async () => {
  type Act = { do: 'edit' | 'remove' | 'doubt' | 'refuse' | 'undelete'; fields: WireFields }
  const act: fc.Arbitrary<Act> = fc.record({
    do: fc.constantFrom(
      'edit' as const,
      'edit' as const,
      'remove' as const,
      'doubt' as const,
      'undelete' as const,
    ),
    fields: fc.dictionary(
      fc.constantFrom('notes', 'time_end', 'task_link_id'),
      fc.constantFrom('a', 'b', null),
      {
        minKeys: 1,
      },
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(act, { maxLength: 12 }), async (isNew, acts) => {
      const { outbox, append, create, doubt, state } = await newOutbox()
      const kind: RecordKind = 'entry'
      const known: WireRecord | undefined = isNew
        ? undefined
        : { id: 5, notes: 'a', time_end: null, task_link_id: 'b' }
      const id = isNew ? create({ notes: 'a' }).record : '5'
      const seen = (): WithPending | undefined => applyPending(known, outbox.changesOf(kind, id))
      let typed = 1
      for (const { do: what, fields } of acts) {
        const before = seen()?.record
        const doubtful = outbox.all().filter(({ outcomeUnknown }) => outcomeUnknown)
        if (what === 'doubt') {
          const next = outbox.next()
          if (next) doubt(next)
          continue
        }
        if (what === 'undelete') {
          outbox.undelete(kind, id)
          continue
        }
        if (!before) continue
        typed++
        append({
          op: what === 'edit' ? 'update' : 'delete',
          record: id,
          base: before,
          fields: what === 'edit' ? fields : {},
        })
        if (what === 'edit') expect(seen()?.record).toMatchObject(fields)
        else expect(seen()).toBeUndefined()
        // What may be on its way is never changed.
        for (const change of doubtful) expect(outbox.get(change.seq)).toEqual(change)
        expect(outbox.all().length).toBeLessThanOrEqual(typed)
        const unsent = outbox.all().filter(({ outcomeUnknown }) => !outcomeUnknown)
        expect(unsent.length).toBeLessThanOrEqual(1)
      }
      state.close()
    }),
    { numRuns: 60 },
  )
})
