import { expect, test } from 'vitest'
import { BackgroundDelivery } from '../../../src/outbox/background-delivery.js'
import type { Delivery, DeliveryResult } from '../../../src/outbox/delivery/delivery.js'
import { Notices } from '../../../src/outbox/notices.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import { openTestState } from './fixtures.js'

const now = new Date('2024-05-08T12:00:00Z')

/** Sets up the delivery of an outbox; `beforeSending` runs before each change. */
async function setUp(beforeSending: () => Promise<void> = async () => {}) {
  const state = await openTestState()
  const outbox = new Outbox(state)
  const notices = new Notices(state, outbox, () => now)
  const setup = {
    ...{ outbox, notices, isLocked: false, isUnwanted: false },
    /** Whether the lock was held at each check whether the process is unwanted. */
    checks: [] as boolean[],
    /** The numbers of the changes that were sent. */
    sent: [] as number[],
    add: () =>
      outbox.append(
        { kind: 'entry', op: 'create', fields: { time_start: now.toISOString(), task_link_id: 1 } },
        now,
      ),
    /** Runs before the lock is released. */
    beforeRelease: () => {},
  }
  const delivery = {
    next: () => outbox.all()[0],
    async run(): Promise<DeliveryResult> {
      await beforeSending()
      for (const { seq } of outbox.all().slice(0, 1)) {
        outbox.remove(seq)
        setup.sent.push(seq)
      }
      return { delivered: 1, rejected: [], failure: undefined, settling: [] }
    },
  } as unknown as Delivery
  const background = new BackgroundDelivery({
    ...{ outbox, delivery, notices, circuitBreaker: undefined, clock: () => now },
    lock: (work) => work(),
    async ownLock(work) {
      setup.isLocked = true
      try {
        return await work()
      } finally {
        setup.beforeRelease()
        setup.isLocked = false
      }
    },
    pause: async () => {},
    async isUnwanted() {
      setup.checks.push(setup.isLocked)
      return setup.isUnwanted
    },
    ...{ checkCredentials: async () => {}, refresh: async () => {}, storeWarnings: () => {} },
  })
  return Object.assign(setup, { run: () => background.run() })
}

/** Runs it with a change, and with three more that are saved one after another while it ends. */
async function runWithLateChanges() {
  const setup = await setUp()
  setup.add()
  let late = 3
  setup.beforeRelease = () => {
    if (late-- > 0) setup.add()
  }
  await setup.run()
  return setup
}

test('sends a change that was saved while it ended', async () => {
  const setup = await runWithLateChanges()
  expect(setup.sent).toEqual([1, 2, 3, 4])
})

test('checks only with its lock whether it is unwanted: two processes that check would see each other', async () => {
  const setup = await runWithLateChanges()
  expect(new Set(setup.checks)).toEqual(new Set([true]))
})

test('does not take its lock again when it is unwanted', async () => {
  const setup = await setUp()
  setup.add()
  setup.isUnwanted = true
  setup.beforeRelease = () => void setup.add()
  await setup.run()
  expect(setup.checks).toHaveLength(1)
  expect(setup.sent).toEqual([])
})

test('stores an error that is a bug as the failure of the delivery', async () => {
  const setup = await setUp(async () => {
    throw new TypeError('fields is undefined')
  })
  setup.add()
  await expect(setup.run()).rejects.toThrow('fields is undefined')
  expect(setup.notices.lastFailure?.error).toMatchObject({
    ...{ code: 'failure', message: 'Internal error: fields is undefined.' },
  })
})
