import { expect, it, onTestFinished } from 'vitest'
import { addUser, ensureCompany } from '../../../../src/service/admin/administration.js'
import type { EntryRow } from '../../../../src/service/admin/all-entries.js'
import { seed } from '../../../../src/service/admin/seed.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { clock, temporarySqlite } from '../fixtures.js'

const until = new Date('2024-05-08T10:00:00Z')
const email = 'a@example.org'

async function seeded(entries: number) {
  const database = await temporarySqlite()
  onTestFinished(database.close)
  const { storage } = database
  await ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'Europe/Berlin' })
  await addUser(storage, { email, name: 'A', clock })
  const result = await seed(storage, { entries, randomSeed: 1, until, email })
  const stored = await storage.queries.all<EntryRow>(sql`select * from time_entries order by time_start`)
  const expenses = await storage.queries.all(sql`select * from expenses`)
  return { storage, result, stored, expenses }
}

it('generates the requested number of varied entries without overlaps, none after the end', async () => {
  const { result, stored, expenses } = await seeded(1000)
  expect(result).toEqual({
    ...{ entries: 1000, expenses: 50, first_day: expect.any(String), last_day: '2024-05-08' },
  })
  expect(stored).toHaveLength(1000)
  expect(expenses).toHaveLength(50)
  for (const [index, { time_start, time_end }] of stored.entries()) {
    expect(time_end).toBeGreaterThan(time_start)
    expect(time_end).toBeLessThanOrEqual(stored[index + 1]?.time_start ?? until.getTime())
  }
  expect(new Date(stored[0]?.time_start ?? 0).toISOString()).toContain(result.first_day)

  const notes = new Set(stored.map((entry) => entry.notes))
  expect(notes.size).toBeGreaterThan(8)
  expect(notes.has(null)).toBe(true)
  expect(stored.some(({ external_id }) => external_id !== null)).toBe(true)
  const day = (at: number | null) => new Date((at ?? 0) + 2 * 3_600_000).getUTCDate()
  expect(stored.some(({ time_start, time_end }) => day(time_start) !== day(time_end))).toBe(true)
})

it('generates the same last week for every total', async () => {
  const weekAgo = until.getTime() - 7 * 86_400_000
  const lastWeek = async (entries: number) =>
    (await seeded(entries)).stored
      .filter(({ time_start }) => time_start >= weekAgo)
      .map(({ time_start, notes }) => [time_start, notes])
  expect(await lastWeek(2000)).toEqual(await lastWeek(100))
})

it('adds to existing entries, and generates nothing for zero entries', async () => {
  const { storage } = await seeded(200)
  await seed(storage, { entries: 200, randomSeed: 1, until, email })
  const nothing = await seed(storage, { entries: 0, randomSeed: 1, until, email })
  expect(nothing).toEqual({ entries: 0, expenses: 0, first_day: null, last_day: null })
  expect(await storage.queries.all(sql`select id from time_entries`)).toHaveLength(400)
})
