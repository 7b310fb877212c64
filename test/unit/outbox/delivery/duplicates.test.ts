import { expect, test } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import { TtError } from '../../../../src/lib/errors.js'
import type { ClientState } from '../../../../src/outbox/cache/client-state.js'
import { findDuplicates } from '../../../../src/outbox/delivery/duplicates.js'
import { resentCreates, saveResentCreate } from '../../../../src/outbox/delivery/resent-creates.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import { now, openTestState } from '../fixtures.js'

const fields = { time_start: '2024-05-08T09:00:00Z', time_end: null, task_link_id: 1, notes: 'phone' }

function resent(id: string) {
  const times = { typedAt: now.getTime(), at: now.getTime() }
  return { kind: 'entry' as const, id, fields, knownUntil: null, ...times }
}

/** Looks up duplicates at a service that has the entries 1 and 2; `duringRequest` runs during the request. */
function lookUp(state: ClientState, duringRequest: () => void = () => {}) {
  const listTimeEntries = async () => {
    duringRequest()
    return [1, 2].map((id) => ({ id, ...fields }))
  }
  const api = { listTimeEntries } as unknown as Api
  return findDuplicates({ api, state, outbox: new Outbox(state), cache: undefined, clock: () => now })
}

const found = [{ kind: 'entry', id: '2', originalId: '1', isCertain: true }]

test('a lookup keeps a create that another process has added since it began', async () => {
  const state = await openTestState()
  saveResentCreate(state, resent('1'))
  expect(await lookUp(state, () => saveResentCreate(state, resent('9')))).toEqual(found)
  const known = resentCreates(state, now)
  expect(known?.creates.map(({ id }) => id)).toEqual(['1', '9'])
  expect(known?.at).toEqual(now)
})

test('a lookup returns duplicates when the disk is full', async () => {
  const state = await openTestState()
  saveResentCreate(state, resent('1'))
  const full = { ...state }
  full.saveSnapshot = () => {
    throw new TtError('failure', 'The disk is full.')
  }
  expect(await lookUp(full)).toEqual(found)
})

test('a lookup that the service rejects is recorded and returns nothing', async () => {
  const state = await openTestState()
  saveResentCreate(state, resent('1'))
  const rejected = lookUp(state, () => {
    throw new TtError('rejected', 'The service rejected the request (403).')
  })
  expect(await rejected).toEqual([])
  expect(resentCreates(state, now)?.at).toEqual(now)
})
