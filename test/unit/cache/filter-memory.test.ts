import { expect, test } from 'vitest'
import { openFilterMemory } from '../../../src/cache/filter-memory.js'
import { openTestState } from '../outbox/fixtures.js'

const day = 86_400_000

test('a filter that a service does not support is tried again after 30 days', async () => {
  const state = await openTestState()
  const now = new Date('2024-05-01T12:00:00Z')
  const memoryAfter = (days: number) => openFilterMemory(state, new Date(now.getTime() + days * day))
  expect(memoryAfter(0).isSupported()).toBe(true)
  memoryAfter(0).rememberUnsupported(false)
  expect(memoryAfter(0).isSupported()).toBe(false)
  expect(memoryAfter(29).isSupported()).toBe(false)
  expect(memoryAfter(31).isSupported()).toBe(true)
  memoryAfter(31).rememberUnsupported(false)
  expect(memoryAfter(60).isSupported()).toBe(false)
})

test('a filter on which a service failed is tried again after a day', async () => {
  const state = await openTestState()
  const now = new Date('2024-05-01T12:00:00Z')
  const memoryAfter = (days: number) => openFilterMemory(state, new Date(now.getTime() + days * day))
  memoryAfter(0).rememberUnsupported(true)
  expect(memoryAfter(0.9).isSupported()).toBe(false)
  expect(memoryAfter(1.1).isSupported()).toBe(true)
})
