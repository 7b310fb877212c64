import { describe, expect, it, vi } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import type { Queries } from '../../../../src/service/storage/queries.js'
import { createServiceFixture, databases, useDatabase } from '../fixtures.js'

describe.each(databases)('a write that has no effect at first over %s', (_, open) => {
  const database = useDatabase(open)

  /** Sets up a service with an entry, and a function that runs before each further change. */
  async function setUp() {
    const { storage } = database
    let before: () => Promise<boolean> = async () => false
    const queries: Queries = {
      ...storage.queries,
      change: async (...statement) => ((await before()) ? [] : storage.queries.change(...statement)),
    }
    const at = await createServiceFixture({ ...storage, queries })
    await administration.updateCompany(storage, { visibility: 'assigned' })
    await administration.assign(storage, { email: 'a@example.org', project: 'Acme/Website' })
    const entry = { task_link_id: at.link, time_start: '2024-05-02T09:00:00Z' }
    const { id } = (await (await at.send('POST', '/timesheets', entry)).json()) as { id: number }
    /** Calls a function once, before the next change; true omits that change. */
    const beforeChange = (work: () => Promise<boolean>) => {
      before = async () => {
        before = async () => false
        return work()
      }
    }
    return { at, entry, path: `/timesheets/${id}`, beforeChange }
  }

  it.each([
    ['POST', 201, 2],
    ['PATCH', 200, 1],
  ])('is repeated in a transaction: %s', async (method, status, count) => {
    const { at, entry, path, beforeChange } = await setUp()
    // As if another request had changed the record, and then changed it back.
    const omit = vi.fn(async () => true)
    beforeChange(omit)
    const change = { task_link_id: at.link, notes: 'a' }
    const response = await (method === 'POST'
      ? at.send('POST', '/timesheets', entry)
      : at.send('PATCH', path, change))
    expect(response.status).toBe(status)
    expect(await at.ids('/timesheets')).toHaveLength(count)
    expect(omit).toHaveBeenCalledOnce()
  })

  it('is repeated when another request moves the entry to another day', async () => {
    const { at, path, beforeChange } = await setUp()
    const names = { client: 'Acme', project: 'Website', task: 'Code' }
    const { id: link } = await administration.addLink(database.storage, names)
    beforeChange(async () => {
      await at.send('PATCH', path, { time_start: '2024-05-03T09:00:00Z' })
      return false
    })
    const response = await at.send('PATCH', path, { task_link_id: link })
    expect(response.status).toBe(200)
    const changed = { time_start: '2024-05-03T09:00:00.000Z', task_link_id: link }
    expect(await response.json()).toMatchObject(changed)
  })
})
