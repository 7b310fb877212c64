import { beforeAll, describe, expect, it } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import { type EntryRow, readEntries } from '../../../../src/service/admin/all-entries.js'
import { insertInto, sql } from '../../../../src/service/storage/sql.js'
import { SeededRandom } from '../../../support/seeded-random.js'
import { clock, databases, now, useDatabase } from '../fixtures.js'

const hourMs = 3_600_000
const [start, end] = [now.getTime() - 200 * hourMs, now.getTime() - 100 * hourMs]

describe.each(databases)('the entries of several users over %s', (_, open) => {
  const database = useDatabase(open)
  let userIds: number[]
  let stored: EntryRow[]

  beforeAll(async () => {
    const { storage } = database
    await administration.ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'Europe/Berlin' })
    const users = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        administration.addUser(storage, { email: `${name}@example.org`, name, clock }),
      ),
    )
    userIds = users.map(({ id }) => id)
    const { id: link } = await administration.addLink(storage, { project: 'Website', task: 'Design' })
    const random = new SeededRandom('17')
    // More than two batches of the first user; open entries, and some of several days.
    const rows = Array.from({ length: 6500 }, (_, index) => {
      const from = now.getTime() - Math.floor(random.next() * 400) * hourMs
      const length = random.next() < 0.02 ? random.next() * 150 * hourMs : random.next() * 8 * hourMs
      const user_id = userIds[random.next() < 0.7 ? 0 : random.next() < 0.7 ? 1 : 2] ?? 0
      return {
        ...{ user_id, time_start: from, task_link_id: Number(link), external_id: null },
        time_end: random.next() < 0.01 ? null : from + Math.floor(length),
        notes: index % 3 === 0 ? 'a #logo' : null,
        ...{ created_at: from, updated_at: from },
      }
    })
    for (let from = 0; from < rows.length; from += 500)
      await storage.queries.all(insertInto('time_entries', ...rows.slice(from, from + 500)))
    stored = (await storage.queries.all(sql`select * from time_entries`)) as EntryRow[]
  })

  async function idsOf(query: Partial<Parameters<typeof readEntries>[1]>): Promise<number[]> {
    const ids: number[] = []
    const all = { userIds, start: undefined, end: undefined, q: '{}', timesSuffice: true }
    for await (const rows of readEntries(database.storage, { ...all, ...query })) {
      expect(rows.length).toBeLessThanOrEqual(2000)
      ids.push(...rows.map(({ id }) => id))
    }
    return ids.sort((a, b) => a - b)
  }
  const matching = (test: (row: EntryRow) => boolean) =>
    stored
      .filter(test)
      .map(({ id }) => id)
      .sort((a, b) => a - b)

  it('are all, each once', async () => {
    expect(await idsOf({})).toEqual(matching(() => true))
  })

  it.each([
    ['a period', start, end],
    ['an open period', start, undefined],
    ['all time before an instant', undefined, end],
  ])('of %s are those that overlap it', async (_, from, to) => {
    const found = await idsOf({ start: from, end: to })
    const overlapping = matching(
      ({ time_start, time_end }) =>
        (to === undefined || time_start < to) &&
        (from === undefined || time_end === null || time_end >= from),
    )
    expect(overlapping.filter((id) => !found.includes(id))).toEqual([])
    expect(new Set(found).size).toBe(found.length)
    expect(found.length).toBeLessThan(stored.length)
  })

  it('are only those of the given users that match the filter', async () => {
    const [, second = 0] = userIds
    const q = JSON.stringify({ notes_cont: 'LOGO' })
    expect(await idsOf({ userIds: [second], q })).toEqual(
      matching(({ user_id, notes }) => user_id === second && notes !== null),
    )
    expect(await idsOf({ userIds: [second], start, timesSuffice: false })).not.toEqual([])
    expect(await idsOf({ userIds: [], start })).toEqual([])
  })

  it('are not read with an invalid filter', async () => {
    await expect(idsOf({ q: '{"color_eq":"red"}' })).rejects.toMatchObject({
      ...{ code: 'usage', message: expect.stringContaining('color') },
    })
  })
})
