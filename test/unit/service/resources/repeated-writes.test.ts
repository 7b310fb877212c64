import { describe, expect, it } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import type { Queries } from '../../../../src/service/storage/queries.js'
import { createServiceFixture, databases, useDatabase } from '../fixtures.js'

describe.each(databases)('a write that has no effect at first over %s', (_, open) => {
  const database = useDatabase(open)

  it.each(['POST', 'PATCH'])('is repeated in a transaction: %s', async (method) => {
    const { storage } = database
    let skipped = 0
    // As if another request had changed the record, and then changed it back.
    const queries: Queries = {
      ...storage.queries,
      change: async (...statement) => (skipped-- > 0 ? [] : storage.queries.change(...statement)),
    }
    const at = await createServiceFixture({ ...storage, queries })
    await administration.updateCompany(storage, { visibility: 'assigned' })
    await administration.assign(storage, { email: 'a@example.org', project: 'Acme/Website' })
    const entry = { task_link_id: at.link, time_start: '2024-05-02T09:00:00Z' }
    const { id } = (await (await at.send('POST', '/timesheets', entry)).json()) as { id: number }
    skipped = 1
    const response =
      method === 'POST'
        ? await at.send('POST', '/timesheets', entry)
        : await at.send('PATCH', `/timesheets/${id}`, { task_link_id: at.link, notes: 'a' })
    expect(response.status).toBe(method === 'POST' ? 201 : 200)
    expect(await at.ids('/timesheets')).toHaveLength(method === 'POST' ? 2 : 1)
    expect(skipped).toBeLessThan(1)
  })

  it('is repeated when another request moves the entry to another day', async () => {
    const { storage } = database
    let move = async () => {}
    const queries: Queries = {
      ...storage.queries,
      async change(...statement) {
        await move()
        return storage.queries.change(...statement)
      },
    }
    const at = await createServiceFixture({ ...storage, queries })
    await administration.updateCompany(storage, { visibility: 'assigned' })
    await administration.assign(storage, { email: 'a@example.org', project: 'Acme/Website' })
    const other = await administration.addLink(storage, { client: 'Acme', project: 'Website', task: 'Code' })
    const entry = { task_link_id: at.link, time_start: '2024-05-02T09:00:00Z' }
    const { id } = (await (await at.send('POST', '/timesheets', entry)).json()) as { id: number }
    move = async () => {
      move = async () => {}
      await at.send('PATCH', `/timesheets/${id}`, { time_start: '2024-05-03T09:00:00Z' })
    }
    const response = await at.send('PATCH', `/timesheets/${id}`, { task_link_id: other.id })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      time_start: '2024-05-03T09:00:00.000Z',
      task_link_id: other.id,
    })
  })
})
