import { expect, test } from 'vitest'
import type { WireFields, WireRecord } from '../../../src/api-client/types.js'
import { openCapabilities } from '../../../src/outbox/cache/known-capabilities.js'
import { ChangeWriter } from '../../../src/outbox/change-writer.js'
import { History } from '../../../src/outbox/history.js'
import { InvoicedRecords } from '../../../src/outbox/invoiced-records.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import type { QueuedChange } from '../../../src/outbox/queued-change.js'
import { now, openTestState, present } from './fixtures.js'

const record: WireRecord = { id: 5, notes: 'old', time_start: '2024-05-08T07:00:00.000Z', time_end: null }

async function newWriter() {
  const state = await openTestState()
  const [outbox, history, invoiced] = [new Outbox(state), new History(state), new InvoicedRecords(state)]
  const writer = new ChangeWriter({
    state,
    capabilities: openCapabilities(state, () => now),
    outbox,
    history,
    invoiced,
    now,
  })
  const edit = (fields: WireFields, known: WireRecord = record) =>
    writer.write({
      title: 'Edited',
      readAt: undefined,
      steps: [{ kind: 'entry', op: 'update', record: known, fields }],
    })
  return { state, outbox, history, invoiced, writer, edit }
}

/** Updates the change as the delivery does, for a request that was not accepted. */
function failToSend(outbox: Outbox) {
  const change = present(outbox.get(1))
  outbox.update({ ...change, attempts: 1, knownUntil: 7, sentAt: 1, sends: 1, outcomeUnknown: true })
  outbox.update({ ...change, attempts: 1, knownUntil: 7 })
}

test('a change that was not sent, or was rejected, is withdrawn with its step in the history', async () => {
  const { outbox, history, writer, edit } = await newWriter()
  const queued = edit({ notes: 'A' })
  failToSend(outbox)
  writer.withdraw(queued)
  expect(outbox.all()).toEqual([])
  const rejected = edit({ notes: 'B' })
  outbox.update({ ...present(outbox.all()[0]), state: 'refused', rejection: { message: 'No.' } })
  writer.withdraw(rejected)
  expect(outbox.all()).toEqual([])
  expect(history.undoable(10)).toEqual([])
})

test('the new part of an invoiced entry is on its invoice until it is withdrawn', async () => {
  const { state, outbox, invoiced, writer } = await newWriter()
  state.database.exec(
    `INSERT INTO invoice (id, number, client, body, at) VALUES ('a', '2024-001', '1', '{}', 0);
     INSERT INTO invoiced (kind, record, invoice) VALUES ('entry', '5', 'a')`,
  )
  const fields = { time_start: '2024-05-08T08:00:00.000Z' }
  const queued = writer.write({
    title: 'Split',
    readAt: undefined,
    steps: [{ kind: 'entry', op: 'create', fields, partOf: '5' }],
  })
  const part = outbox.all()[0]?.record ?? ''
  expect([...invoiced.numbers('entry')]).toEqual(
    expect.arrayContaining([
      ['5', '2024-001'],
      [part, '2024-001'],
    ]),
  )
  writer.withdraw(queued)
  expect([...invoiced.numbers('entry')]).toEqual([['5', '2024-001']])
})

test('a change with edits of other commands is not withdrawn, even with the same result', async () => {
  const { outbox, writer, edit } = await newWriter()
  const queued = edit({ notes: 'A' })
  edit({ notes: 'B' }, { ...record, notes: 'A' })
  edit({ notes: 'A' }, { ...record, notes: 'B' })
  failToSend(outbox)
  writer.withdraw(queued)
  expect(outbox.all()).toMatchObject([{ record: '5', fields: { notes: 'A' } }])
})

test('a change that the service may have is not withdrawn', async () => {
  const { outbox, history, writer, edit } = await newWriter()
  const queued = edit({ notes: 'A' })
  outbox.update({ ...(outbox.all()[0] as QueuedChange), attempts: 1, sends: 1, outcomeUnknown: true })
  writer.withdraw(queued)
  expect(outbox.all()).toMatchObject([{ record: '5', fields: { notes: 'A' } }])
  expect(history.undoable(10)).toHaveLength(1)
})

test('an edit that was merged into a change is withdrawn alone', async () => {
  const { outbox, writer, edit } = await newWriter()
  edit({ notes: 'A' })
  const queued = edit({ notes: 'B' }, { ...record, notes: 'A' })
  failToSend(outbox)
  writer.withdraw(queued)
  expect(outbox.all()).toMatchObject([{ record: '5', fields: { notes: 'A' }, attempts: 0 }])
})
