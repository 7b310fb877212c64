import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordKind, WireFields, WireRecord } from '../../../src/api-client/types.js'
import { throwIfSuperseded } from '../../../src/outbox/delivery/change-settler.js'
import { SupersededError } from '../../../src/outbox/delivery/delivery-errors.js'
import { type AppendOptions, asPending, Outbox } from '../../../src/outbox/outbox.js'
import { applyPending, type WithPending } from '../../../src/outbox/pending.js'
import type { PlannedChange } from '../../../src/outbox/plan.js'
import type { QueuedChange } from '../../../src/outbox/queued-change.js'
import { now, openTestState, present, queuedChange } from './fixtures.js'

const record: WireRecord = { id: 5, notes: 'old', time_start: '2024-05-08T07:00:00.000Z', time_end: null }

async function newOutbox() {
  const state = await openTestState()
  const outbox = new Outbox(state)
  const append = (change: Partial<PlannedChange> & Pick<PlannedChange, 'op'>, options?: AppendOptions) =>
    outbox.append({ kind: 'entry', ...change }, now, options)
  return {
    state,
    outbox,
    append,
    create: (fields: WireFields = { notes: 'new' }) => present(append({ op: 'create', fields })),
    edit: (fields: WireFields, base: WireRecord = record) => append({ op: 'update', fields, record: base }),
    remove: (base: WireRecord = record) => append({ op: 'delete', record: base }),
    /** Updates the change as after a request without a response. */
    loseResponse: (change: QueuedChange) =>
      outbox.update({ ...change, attempts: 1, knownUntil: 7, outcomeUnknown: true }),
    reject: (change: QueuedChange) =>
      outbox.update({ ...change, state: 'refused', rejection: { message: 'No.', status: 422 } }),
  }
}

const changesOf = (changes: QueuedChange[]) =>
  changes.map(({ op, record, fields, state }) => ({ op, record, fields, state }))

describe('a change', () => {
  test('the outbox stores a change with its fields, and a create with a local ID and a key', async () => {
    const { create, edit, outbox } = await newOutbox()
    const created = create({ notes: 'grüße', task_link_id: 'a-1', tags: ['x', { y: 1 }] })
    expect(created).toEqual(
      queuedChange({
        fields: { notes: 'grüße', task_link_id: 'a-1', tags: ['x', { y: 1 }] },
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        typedAt: now,
      }),
    )
    expect(edit({ notes: 'x' })).toMatchObject({ seq: 2, record: '5', base: record })
    expect(outbox.all()).toHaveLength(2)
    expect(outbox.pendingCount()).toBe(2)
  })

  test('a new change never gets the number of a removed one', async () => {
    const { create, outbox } = await newOutbox()
    outbox.remove(create().seq)
    expect(create().record).toBe('~2')
  })

  test('the outbox stores the state of a change', async () => {
    const { create, outbox } = await newOutbox()
    const created = create()
    const aside: QueuedChange = {
      ...{ ...created, state: 'conflict', attempts: 3, outcomeUnknown: true, knownUntil: 12 },
      rejection: { message: 'Gone.', gone: true },
    }
    expect(outbox.update(aside)).toEqual(aside)
    expect(outbox.get(created.seq)).toEqual(aside)
  })

  test('the outbox restores a change after an update or a removal', async () => {
    const { create, outbox, reject } = await newOutbox()
    const created = create()
    reject(created)
    const before = present(outbox.get(created.seq))
    outbox.update({ ...created, fields: {} })
    outbox.restore(before)
    expect(outbox.all()).toEqual([{ ...before, revision: 2 }])
    outbox.remove(created.seq)
    outbox.restore(before)
    expect(outbox.all()).toEqual([{ ...before, revision: 1 }])
  })

  test('the revision of a change counts changes of its fields and key, also by a version without revisions', async () => {
    const { create, edit, outbox, reject, state } = await newOutbox()
    const created = create()
    expect(edit({ notes: 'x' }, { id: created.record })).toMatchObject({ revision: 1 })
    // A version that was in use while the column was added.
    state.database.exec("UPDATE outbox SET fields = '{}', waits_for = 9")
    outbox.update(created)
    expect(outbox.get(created.seq)).toMatchObject({ fields: created.fields, revision: 3 })
    expect(outbox.update(asPending(reject(created)))).toMatchObject({ state: 'waiting', revision: 4 })
  })

  test('keeps its revision when it is sent, rejected or delivered', async () => {
    const { create, loseResponse, outbox, reject } = await newOutbox()
    const created = create({ notes: 'grüße', tags: ['x', { y: 1.5 }] })
    expect(loseResponse(created)).toMatchObject({ revision: 0 })
    expect(reject(created)).toMatchObject({ revision: 0 })
    outbox.renameRecord('entry', created.record, '17')
    expect(outbox.get(created.seq)).toMatchObject({ record: '17', revision: 0 })
    expect(outbox.update({ ...created, base: record })).toMatchObject({ base: record, revision: 0 })
  })
})

test('a rejected change is sent again with another key, unless its outcome is unknown', async () => {
  const { create, loseResponse, reject } = await newOutbox()
  const created = create()
  expect(asPending(reject(created)).key).not.toBe(created.key)
  const lost = loseResponse(create())
  expect(asPending(reject(lost)).key).toBe(lost.key)
})

test('other fields, the same fields again or a removal supersede a change that was read before', async () => {
  const { create, edit, outbox } = await newOutbox()
  const read = create()
  expect(() => throwIfSuperseded(outbox, read)).not.toThrow()
  edit({ notes: 'other' }, { id: read.record })
  expect(() => throwIfSuperseded(outbox, read)).toThrow(SupersededError)
  edit({ notes: 'new' }, { id: read.record })
  expect(outbox.get(read.seq)).toEqual({ ...read, revision: 2 })
  expect(() => throwIfSuperseded(outbox, read)).toThrow(SupersededError)
  outbox.remove(read.seq)
  expect(() => throwIfSuperseded(outbox, read)).toThrow(SupersededError)
})

describe('a change that waits for another', () => {
  test('a dependent change is next when the other is removed or rejected, and does not wait for a local timer', async () => {
    const { append, create, outbox, reject } = await newOutbox()
    const first = create()
    const second = present(append({ op: 'update', fields: { notes: 'x' }, record }, { waitsFor: first.seq }))
    const third = present(append({ op: 'delete', record: { id: 6 } }, { waitsFor: second.seq }))
    expect(outbox.next()).toEqual(first)
    reject(first)
    expect(outbox.next()).toBeUndefined()
    expect(outbox.dependents(first.seq)).toEqual([second, third])
    outbox.update({ ...first, state: 'held' })
    expect(outbox.next()).toEqual(second)
    outbox.remove(second.seq)
    expect(outbox.next()).toEqual(third)
  })

  test('a separate change is not merged into an earlier update', async () => {
    const { edit, append, outbox } = await newOutbox()
    edit({ notes: 'x' })
    append({ op: 'update', fields: { time_end: 'now' }, record, isSeparate: true })
    expect(outbox.all()).toHaveLength(2)
  })
})

describe('an unsent change', () => {
  test('is merged with later changes, and removed with its record', async () => {
    const { create, edit, remove, outbox } = await newOutbox()
    const { record: id } = create({ notes: 'a', task_link_id: 1 })
    edit({ notes: 'b' }, { id })
    edit({ notes: 'c', time_end: 'now' }, { id })
    const fields = { notes: 'c', task_link_id: 1, time_end: 'now' }
    expect(changesOf(outbox.all())).toEqual([{ op: 'create', record: id, fields, state: 'waiting' }])
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
    // The deletion is compared with the record of the service.
    expect(outbox.all()).toMatchObject([{ op: 'delete', base: record }])
    expect(outbox.undelete('entry', '5')).toEqual(record)
    expect(outbox.all()).toEqual([])
  })

  test('belongs to one kind of records', async () => {
    const { append, edit, outbox } = await newOutbox()
    edit({ notes: 'b' })
    append({ kind: 'expense', op: 'update', record: { id: 5, notes: 'x' }, fields: { notes: 'c' } })
    append({ kind: 'expense', op: 'delete', record: { id: 5, notes: 'x' } })
    expect(outbox.all()).toMatchObject([
      { kind: 'entry', op: 'update' },
      { kind: 'expense', op: 'delete' },
    ])
  })
})

describe('a change with an unknown outcome', () => {
  test('does not change, and later changes after it are merged', async () => {
    const { create, edit, remove, loseResponse, outbox } = await newOutbox()
    const created = create()
    loseResponse(created)
    const there = present(outbox.get(created.seq))
    edit({ notes: 'b' }, { id: created.record, notes: 'new' })
    edit({ notes: 'c' }, { id: created.record, notes: 'b' })
    expect(outbox.all()).toMatchObject([
      there,
      { op: 'update', record: created.record, fields: { notes: 'c' } },
    ])
    remove({ id: created.record })
    expect(outbox.all()).toMatchObject([there, { op: 'delete', record: created.record }])
    expect(outbox.next()?.seq).toBe(created.seq)
  })

  test('stays when it is an update or a deletion', async () => {
    const { edit, remove, loseResponse, outbox } = await newOutbox()
    loseResponse(present(edit({ notes: 'b' })))
    edit({ notes: 'old' }, { ...record, notes: 'b' })
    expect(outbox.all()).toMatchObject([
      { outcomeUnknown: true },
      { outcomeUnknown: false, fields: { notes: 'old' } },
    ])
    loseResponse(present(remove()))
    expect(outbox.undelete('entry', '5')).toBeUndefined()
    expect(outbox.all()).toMatchObject([{ op: 'update' }, { op: 'delete' }])
  })
})

describe('a rejected change', () => {
  test('is sent again after a correction, with the changes after it, and does not block other records', async () => {
    const { create, edit, loseResponse, reject, outbox } = await newOutbox()
    const created = create({ notes: 'a', task_link_id: 1 })
    loseResponse(created)
    edit({ notes: 'b' }, { id: created.record })
    reject(created)
    expect(outbox.next()).toBeUndefined()
    const other = present(edit({ notes: 'b' }))
    expect(outbox.next()).toEqual(other)
    outbox.remove(other.seq)
    edit({ task_link_id: 2 }, { id: created.record })
    expect(outbox.all()).toMatchObject([
      {
        ...{ op: 'create', state: 'waiting', fields: { notes: 'b', task_link_id: 2 } },
        ...{ attempts: 0, outcomeUnknown: false, rejection: null },
      },
    ])
    expect(outbox.next()?.key).not.toBe(created.key)
  })

  test('stays after changes of other fields, and is replaced by those of the same or a deletion', async () => {
    const { create, edit, reject, remove, outbox } = await newOutbox()
    const created = create()
    reject(created)
    expect(remove({ id: created.record })).toBeUndefined()
    expect(outbox.all()).toEqual([])
    reject(present(edit({ notes: 'b', time_end: 'now' })))
    outbox.supersede('entry', '5', ['task_link_id'])
    expect(changesOf(outbox.all())).toMatchObject([{ fields: { notes: 'b', time_end: 'now' } }])
    outbox.supersede('entry', '5', ['notes'])
    expect(changesOf(outbox.all())).toMatchObject([{ fields: { time_end: 'now' }, state: 'refused' }])
    outbox.supersede('entry', '5', ['time_end'])
    expect(outbox.all()).toEqual([])
    reject(present(edit({ notes: 'b' })))
    remove()
    expect(changesOf(outbox.all())).toMatchObject([{ op: 'delete', state: 'waiting' }])
  })
})

describe('a local timer', () => {
  const timer = { op: 'create', fields: { notes: 'a' } } as const

  test('is merged with changes, and pending once it has an end', async () => {
    const { append, edit, outbox } = await newOutbox()
    const { record: id } = present(append(timer, { state: 'held' }))
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
    const { create, edit, loseResponse, outbox } = await newOutbox()
    const created = create({ notes: 'a' })
    loseResponse(created)
    for (const fields of behind) edit(fields, { id: created.record })
    expect(outbox.makeLocal(created)).toMatchObject(expected)
    expect(outbox.all()).toMatchObject([{ ...expected, outcomeUnknown: false }])
  })

  test('is removed when it was deleted', async () => {
    const { create, remove, loseResponse, outbox } = await newOutbox()
    const created = create()
    loseResponse(created)
    remove({ id: created.record })
    expect(outbox.makeLocal(created)).toBeUndefined()
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
    const { create, edit, outbox } = await newOutbox()
    const created = create()
    outbox.renameRecord('entry', created.record, '5')
    edit({ notes: 'c' }, { id: created.record })
    expect(outbox.all()).toMatchObject([{ record: '5', fields: { notes: 'c' } }])
  })

  test('resolves to itself when a service uses an ID again', async () => {
    const { outbox } = await newOutbox()
    outbox.setAlias('entry', '5', '~2')
    outbox.renameRecord('entry', '~2', '5')
    for (const name of ['5', '~2']) expect(outbox.resolve('entry', name)).toBe('5')
  })
})

test('the outbox shows the latest values and sends at most one change per command, also with unknown outcomes', {
  tags: 'slow',
}, async () => {
  type Action = { action: 'edit' | 'remove' | 'lose response' | 'undelete'; fields: WireFields }
  const field = fc.constantFrom('notes', 'time_end', 'task_link_id')
  const anyAction: fc.Arbitrary<Action> = fc.record({
    action: fc.constantFrom<Action['action']>('edit', 'edit', 'remove', 'lose response', 'undelete'),
    fields: fc.dictionary(field, fc.constantFrom('a', 'b', null), { minKeys: 1 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(anyAction, { maxLength: 12 }), async (isNew, actions) => {
      const { outbox, append, create, loseResponse, state } = await newOutbox()
      const kind: RecordKind = 'entry'
      const known = isNew ? undefined : { id: 5, notes: 'a', time_end: null, task_link_id: 'b' }
      const id = isNew ? create({ notes: 'a' }).record : '5'
      const seen = (): WithPending | undefined => applyPending(known, outbox.changesOf(kind, id))
      let typed = 1
      for (const { action, fields } of actions) {
        const before = seen()?.record
        const unknown = outbox.all().filter(({ outcomeUnknown }) => outcomeUnknown)
        if (action === 'lose response') {
          const next = outbox.next()
          if (next) loseResponse(next)
          continue
        }
        if (action === 'undelete') {
          outbox.undelete(kind, id)
          continue
        }
        if (!before) continue
        typed++
        append({
          op: action === 'edit' ? 'update' : 'delete',
          record: before,
          fields: action === 'edit' ? fields : {},
        })
        if (action === 'edit') expect(seen()?.record).toMatchObject(fields)
        else expect(seen()).toBeUndefined()
        // A change that may be in flight is never modified.
        for (const change of unknown) expect(outbox.get(change.seq)).toEqual(change)
        expect(outbox.all().length).toBeLessThanOrEqual(typed)
        const unsent = outbox.all().filter(({ outcomeUnknown }) => !outcomeUnknown)
        expect(unsent.length).toBeLessThanOrEqual(1)
      }
      state.close()
    }),
    { numRuns: 60 },
  )
})

test('a later change does not overtake a postponed one of the same record', async () => {
  const { append, outbox } = await newOutbox()
  const edit = (id: number, notes: string) =>
    append({ op: 'update', record: { id, notes: 'old' }, fields: { notes }, isSeparate: true })
  const [first, other] = [edit(5, 'first'), edit(6, 'other')]
  edit(5, 'second')
  expect(outbox.next(new Map([[first?.seq ?? 0, {}]]))?.seq).toBe(other?.seq)
  expect(outbox.next(new Map([first, other].map((change) => [change?.seq ?? 0, {}])))).toBeUndefined()
})
