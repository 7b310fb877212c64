import { get } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { entryTimesType, scopes } from '../../src/api-client/types.js'
import { createApp } from '../../src/service/http/app.js'
import { listen } from '../../src/service/http/listener.js'
import { insertInto } from '../../src/service/storage/sql.js'
import {
  clock,
  createServiceFixture,
  databases,
  observed,
  type ServiceFixture,
  useDatabase,
} from '../unit/service/fixtures.js'

const entries = 30_000

describe.each(databases)('a long list over %s', (_, open) => {
  const database = useDatabase(open)
  let at: ServiceFixture
  beforeAll(async () => {
    at = await createServiceFixture(database.storage)
    const row = { user_id: at.users[0], task_link_id: at.link, created_at: 0, updated_at: 0 }
    for (let from = 0; from < entries; from += 1000) {
      const rows = Array.from({ length: 1000 }, (_, index) => ({ ...row, time_start: from + index }))
      await database.storage.queries.all(insertInto('time_entries', ...rows))
    }
  })

  /** Serves the app over a socket, and counts the batches of entries that it reads. */
  async function serve() {
    const { queries } = database.storage
    const counter = { batches: 0, url: '' }
    const counting = observed(queries, ({ texts }) => {
      if (texts.join().includes('"time_entries"')) counter.batches++
    })
    const app = createApp({
      ...{ storage: { queries: counting }, clock },
      authenticate: async () => ({ userId: at.users[0], scopes: new Set(scopes) }),
    })
    const listener = await listen(app, { host: '127.0.0.1', port: 0 })
    onTestFinished(() => listener.close())
    counter.url = `${listener.url}/api/v1`
    return counter
  }

  it('does not delay the requests of others until its end', async () => {
    const counter = await serve()
    const lists = Array.from({ length: 5 }, async () => (await fetch(`${counter.url}/timesheets`)).text())
    await expect.poll(() => counter.batches, { interval: 1 }).toBeGreaterThan(5)
    for (let request = 0; request < 3; request++)
      expect((await fetch(`${counter.url}/companies`)).status).toBe(200)
    const duringRequests = counter.batches
    await Promise.all(lists)
    expect(counter.batches).toBeGreaterThan(500)
    expect(duringRequests).toBeLessThan(counter.batches / 2)
  })

  it.each(['application/json', entryTimesType])(
    'is read no further when the client disconnects (%s)',
    async (accept) => {
      const counter = await serve()
      await new Promise<void>((resolve) => {
        const request = get(`${counter.url}/timesheets`, { headers: { accept } }, (response) => {
          response.once('data', () => {
            request.destroy()
            resolve()
          })
        })
        request.on('error', () => {})
      })
      // Another request shows that the service has processed the disconnection.
      await fetch(`${counter.url}/companies`)
      await fetch(`${counter.url}/companies`)
      const { batches } = counter
      for (let iteration = 0; iteration < 500; iteration++) await turn()
      expect(counter.batches).toBeLessThanOrEqual(batches + 1)
      expect(batches).toBeLessThan(30)
    },
  )
})
