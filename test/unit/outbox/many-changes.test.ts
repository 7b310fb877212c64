import { expect, test } from 'vitest'
import type { ClientState } from '../../../src/outbox/cache/client-state.js'
import type { Delivery } from '../../../src/outbox/delivery/delivery.js'
import { Outbox } from '../../../src/outbox/outbox.js'
import { mergePending } from '../../../src/outbox/pending.js'
import { Sync } from '../../../src/outbox/sync.js'
import { openTestState, present } from './fixtures.js'

const count = 1000
const typedAt = new Date('2024-05-08T12:00:00Z')

/** Fills an outbox with creates, and counts the rows that are read from then on. */
async function fillOutbox() {
  const opened = await openTestState()
  const { database } = opened
  let rows = 0
  const counted: ClientState = {
    ...opened,
    database: {
      ...database,
      prepare(sql) {
        const statement = database.prepare(sql)
        return {
          ...statement,
          all(parameters) {
            const found = statement.all(parameters)
            rows += found.length
            return found
          },
        }
      },
    },
  }
  const outbox = new Outbox(counted)
  const fields = (minute: number) => ({
    time_start: new Date(typedAt.getTime() + minute * 60_000).toISOString(),
    time_end: new Date(typedAt.getTime() + minute * 60_000 + 30_000).toISOString(),
  })
  opened.atomically(() => {
    for (let minute = 0; minute < count; minute++)
      outbox.append({ kind: 'entry', op: 'create', fields: fields(minute) }, typedAt)
  })
  rows = 0
  return { state: counted, outbox, rowsRead: () => rows }
}

test('the next change is found among many without reading them, whatever is postponed', async () => {
  const { outbox, rowsRead } = await fillOutbox()
  expect(outbox.next()?.seq).toBe(1)
  expect(outbox.next(new Map([[1, {}]]))?.seq).toBe(2)
  const postponed = new Map(Array.from({ length: 50 }, (_, at) => [at + 1, {}]))
  expect(outbox.next(postponed)?.seq).toBe(51)
  expect(rowsRead()).toBeLessThan(100)
})

test('a postponed timer delays all later changes, however many there are', async () => {
  const { outbox } = await fillOutbox()
  const first = present(outbox.all()[0])
  outbox.update({ ...first, fields: { time_start: typedAt.toISOString() } })
  expect(outbox.next(new Map([[1, {}]]))).toBeUndefined()
})

test('pending changes are merged with records in few comparisons', async () => {
  let reads = 0
  const changes = Array.from({ length: count }, (_, at) => ({
    kind: 'entry',
    op: 'create',
    record: `~${at}`,
    state: 'waiting',
    fields: {},
    get seq() {
      reads++
      return at
    },
  }))
  const known = {
    outbox: { all: () => changes },
    cache: { timeZone: () => undefined },
  } as unknown as Parameters<typeof mergePending>[1]
  expect(await mergePending('entry', known, async () => [], {})).toHaveLength(count)
  expect(reads).toBeLessThanOrEqual(4 * count)
})

test('the progress of a delivery counts down, and counts the pending changes rarely', async () => {
  const { state, outbox } = await fillOutbox()
  let counts = 0
  const pendingCount = outbox.pendingCount.bind(outbox)
  outbox.pendingCount = () => {
    counts++
    return pendingCount()
  }
  const delivery = {
    run: async ({ onProgress }: { onProgress(result: { delivered: number }): void }) => {
      for (let delivered = 1; delivered <= count; delivered++) {
        outbox.remove(delivered)
        onProgress({ delivered })
      }
      return { delivered: count, rejected: [], failure: undefined, settling: [] }
    },
  } as unknown as Delivery
  const sync = new Sync({
    ...{ state, outbox, delivery, duplicates: async () => [], clock: () => typedAt },
    ...{ circuitBreaker: undefined, lock: (work) => work(), pause: async () => {} },
  })
  const remaining: number[] = []
  await sync.deliver({ onProgress: (progress) => remaining.push(progress.remaining) })
  expect(remaining).toEqual(Array.from({ length: count }, (_, at) => count - 1 - at))
  expect(counts).toBeLessThan(count / 4)
})
