import { expect, test } from 'vitest'
import { Notices } from '../../../src/outbox/notices.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import { now, openTestState, present } from './fixtures.js'

async function setUp() {
  const state = await openTestState()
  const outbox = new Outbox(state)
  return { outbox, notices: new Notices(state, outbox, () => now) }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Message ${index + 1}.`)

/** Adds rejected changes to the outbox and the notices. */
function reject({ outbox, notices }: Awaited<ReturnType<typeof setUp>>, count: number) {
  for (let made = 0; made < count; made++) {
    const fields = { time_start: now.toISOString(), task_link_id: 1 }
    const change = present(outbox.append({ kind: 'entry', op: 'create', fields }, now))
    outbox.update({ ...change, state: 'refused', rejection: { message: 'Too late.' } })
    notices.add([], [change])
  }
}

test('returns the latest messages once, and says how many earlier ones it has dropped', async () => {
  const { notices } = await setUp()
  for (const message of numbered(23)) notices.add([{ message }], [])
  const texts = () => notices.take().map(({ message }) => message)
  expect(texts()).toEqual([
    '3 earlier messages about sending in the background are not stored.',
    ...numbered(23).slice(3),
  ])
  expect(texts()).toEqual([])
  notices.add([{ message: 'Message 1.' }], [])
  expect(texts()).toEqual(['Message 1.'])
})

test('returns the reasons of some rejected changes, and the number of the others', async () => {
  const setup = await setUp()
  reject(setup, 45)
  const notices = setup.notices.take()
  expect(notices).toHaveLength(21)
  expect(notices[0]?.message).toMatch(/^A new entry \(~1\) was rejected\. Too late\.$/)
  expect(notices[20]).toEqual({
    ...{ message: '25 more changes were rejected.', nextStep: { action: 'list_changes' } },
  })
})

test('counts the rejected changes whose reasons this process has returned', async () => {
  const setup = await setUp()
  reject(setup, 2)
  expect(setup.notices.returnedRejections).toBe(0)
  setup.notices.take()
  reject(setup, 1)
  expect(setup.notices.returnedRejections).toBe(2)
})
