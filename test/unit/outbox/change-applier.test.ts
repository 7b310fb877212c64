import { expect, test, vi } from 'vitest'
import { UnreachableError } from '../../../src/api-client/api-errors.js'
import { openCapabilities } from '../../../src/outbox/cache/known-capabilities.js'
import { ChangeApplier, type ServiceStatus } from '../../../src/outbox/change-applier.js'
import type { Delivery } from '../../../src/outbox/delivery/delivery.js'
import { History } from '../../../src/outbox/history.js'
import { InvoicedRecords } from '../../../src/outbox/invoiced-records.js'
import { Notices } from '../../../src/outbox/notices.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import { now, openTestState } from './fixtures.js'

const plan = {
  title: 'Split entry 5',
  readAt: undefined,
  steps: [{ kind: 'entry', op: 'create', fields: { notes: 'A' } } as const],
}

async function newApplier({
  circuitBreaker,
  run = async () => ({ delivered: 0, rejected: [], failure: undefined, settling: [] }),
}: {
  circuitBreaker?: ServiceStatus
  run?: Delivery['run']
}) {
  const state = await openTestState()
  const outbox = new Outbox(state)
  const warnings: string[] = []
  const applier = new ChangeApplier({
    state,
    capabilities: openCapabilities(state, () => now),
    outbox,
    history: new History(state),
    invoiced: new InvoicedRecords(state),
    confirmInvoiced: async () => false,
    delivery: {
      responses: new Map(),
      run,
      next: () => undefined,
      hasWork: () => false,
    } as unknown as Delivery,
    duplicates: async () => [],
    cache: undefined,
    circuitBreaker,
    hasDelivery: true,
    lock: (work) => work(),
    now,
    clock: () => now,
    warn: (message) => warnings.push(message),
    warnAfterOutput: (message) => warnings.push(message),
    onApplied: () => {},
    ...{ notices: new Notices(state, outbox, () => now), printsNotices: true, sendLater: undefined },
  })
  return { applier, outbox, warnings }
}

test('a change is reported when the service becomes available between two reads of its failure', async () => {
  const failures = [new UnreachableError('The service cannot be reached.', { isUnsent: true })]
  const circuitBreaker: ServiceStatus = {
    get failure() {
      return failures.pop()
    },
    mayRetry: () => false,
  }
  const { applier, warnings } = await newApplier({ circuitBreaker })
  expect(await applier.apply(async () => plan)).toMatchObject([{ pending: true }])
  expect(warnings).toEqual(['Saved locally: the service cannot be reached.'])
})

test('an error of the delivery names the saved change', async () => {
  const run = () => Promise.reject(new TypeError('x is undefined'))
  const { applier, outbox } = await newApplier({ run })
  const saved = {
    code: 'failure',
    message: 'Saved: Split entry 5. An error occurred afterwards: x is undefined',
    hint: 'Do not repeat the command: changes that are not sent yet are sent later.',
  }
  await expect(applier.apply(async () => plan)).rejects.toMatchObject(saved)
  await expect(applier.readAndApply(async () => plan)).rejects.toMatchObject(saved)
  expect(outbox.all()).toHaveLength(2)
})

test('an error while the result of a change is read names the saved change', async () => {
  const { applier, outbox } = await newApplier({})
  vi.spyOn(outbox, 'get').mockImplementation(() => {
    throw new TypeError('x is undefined')
  })
  await expect(applier.apply(async () => plan)).rejects.toMatchObject({
    code: 'failure',
    message: 'Saved: Split entry 5. An error occurred afterwards: x is undefined',
  })
  expect(outbox.all()).toHaveLength(1)
})
