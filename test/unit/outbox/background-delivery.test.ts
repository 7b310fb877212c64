import { expect, test } from 'vitest'
import { BackgroundDelivery } from '../../../src/outbox/background-delivery.js'
import type { Delivery, DeliveryResult } from '../../../src/outbox/delivery/delivery.js'
import { Notices } from '../../../src/outbox/notices.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import { now, openTestState } from './fixtures.js'

async function setUp() {
  const state = await openTestState()
  const outbox = new Outbox(state)
  const notices = new Notices(state, outbox, () => now)
  const setup = {
    ...{ isLocked: false, isUnwanted: false },
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

test('sends changes that were saved while it ended', async () => {
  const setup = await setUp()
  setup.add()
  let late = 3
  setup.beforeRelease = () => {
    if (late-- > 0) setup.add()
  }
  await setup.run()
  expect(setup.sent).toEqual([1, 2, 3, 4])
  // Two processes that check without their lock would see each other.
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
