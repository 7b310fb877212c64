import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { openStorage, type Storage } from '../../../../src/service/storage/storage.js'
import { createSharedDatabase } from '../../../support/postgres.js'
import { temporaryDirectory } from '../../../support/process.js'
import { createServiceFixture, usesPostgresServer, waitsForLock } from '../fixtures.js'

describe.each([
  ['SQLite', true, () => `sqlite:${join(temporaryDirectory(), 'service.sqlite')}`],
  ['PostgreSQL', usesPostgresServer, postgresLocation],
] as const)('an assignment over %s', (_, isAvailable, createLocation) => {
  it.skipIf(!isAvailable).each(['POST', 'PATCH'])(
    'that ends at the same time rejects a %s request, which waits for the end',
    async (method) => {
      const location = await createLocation()
      const [storage, other] = [await open(location), await open(location)]
      const service = await createServiceFixture(storage)
      await administration.updateCompany(storage, { visibility: 'assigned' })
      await administration.assign(storage, { email: 'a@example.org', project: 'Acme/Website' })
      const entry = { task_link_id: service.link, time_start: '2024-05-02T09:00:00Z' }
      const first = await service.send('POST', '/timesheets', entry)
      const { id } = (await first.json()) as { id: number }
      let isAnswered = false
      const answer = await other.queries.transaction(async (transaction) => {
        await transaction.all(sql`update assignments set ends_on = '2024-05-01'`)
        const sending =
          method === 'POST'
            ? service.send('POST', '/timesheets', entry)
            : service.send('PATCH', `/timesheets/${id}`, { time_start: '2024-05-03T09:00:00Z' })
        const response = sending.finally(() => {
          isAnswered = true
        })
        if (other.dialect === 'postgres')
          await vi.waitUntil(async () => isAnswered || (await waitsForLock(other)))
        return { response }
      })
      expect((await answer.response).status).toBe(422)
    },
  )
})

async function open(location: string): Promise<Storage> {
  const storage = await openStorage(location)
  onTestFinished(() => storage.close())
  return storage
}

async function postgresLocation(): Promise<string> {
  const { url, drop } = await createSharedDatabase()
  onTestFinished(drop)
  return url
}
