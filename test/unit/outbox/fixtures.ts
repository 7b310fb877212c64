import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ClientState, openClientState } from '../../../src/outbox/cache/client-state.js'
import type { QueuedChange } from '../../../src/outbox/queued-change.js'
import { temporaryDirectory } from '../../support/process.js'

export const now = new Date('2024-05-08T12:00:00Z')

/** The file of an empty client state: to create one takes much longer than to copy it. */
let emptyState: Promise<Buffer> | undefined

async function createEmptyState(): Promise<Buffer> {
  const path = join(temporaryDirectory(), 'state.db')
  ;(await openClientState(path)).close()
  return readFileSync(path)
}

/** Opens the client state of a new profile, removed with the test. */
export async function openTestState(): Promise<ClientState> {
  const path = join(temporaryDirectory(), 'state.db')
  emptyState ??= createEmptyState()
  writeFileSync(path, await emptyState, { mode: 0o600 })
  const state = await openClientState(path)
  onTestFinished(() => state.close())
  return state
}

/** Returns a change that must exist. */
export function present<Value>(change: Value | undefined): Value {
  if (change === undefined) throw new Error('The change is missing.')
  return change
}

/** Returns a change of an entry with these fields, which was not sent yet. */
export const queuedChange = (more: Partial<QueuedChange>): QueuedChange => ({
  ...{
    seq: 1,
    kind: 'entry',
    op: 'create',
    record: '~1',
    fields: {},
    base: null,
    key: 'key',
    state: 'waiting',
  },
  ...{ attempts: 0, outcomeUnknown: false, sends: 0, sentAt: null, sentUptimeMs: null, firstSentAt: null },
  ...{ clockOffsetMs: null, listedAt: null, candidates: null, knownUntil: null, rejection: null },
  ...{ typedAt: now, waitsFor: null, revision: 0, ...more },
})
