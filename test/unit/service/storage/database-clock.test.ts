import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { DatabaseClock } from '../../../../src/service/storage/postgres/connection.js'

/** A clock of a database that is years behind this process. */
const start = Date.UTC(2001, 0, 1)

it('reads the clock of the database once, and continues by itself', async () => {
  const clock = new DatabaseClock()
  let readings = 0
  const read = async () => start + readings++
  expect(await clock.now(read)).toBe(start)
  const later = await clock.now(read)
  expect(later).toBeGreaterThanOrEqual(start)
  expect(await clock.now(read)).toBeGreaterThanOrEqual(later)
  expect(readings).toBe(1)
  clock.invalidate()
  expect(await clock.now(read)).toBe(start + 1)
})

it('uses an imprecise reading only once', async () => {
  const clock = new DatabaseClock()
  let readings = 0
  const read = async () => {
    await sleep(60)
    return start + readings++
  }
  expect(await clock.now(read)).toBe(start)
  expect(await clock.now(read)).toBe(start + 1)
})
