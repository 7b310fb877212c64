import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import * as administration from '../../../../src/service/admin/administration.js'
import type { Queries } from '../../../../src/service/storage/queries.js'
import { openStorage, type Storage } from '../../../../src/service/storage/storage.js'
import { createSharedDatabase, findPostgresPrograms } from '../../../support/postgres.js'
import { createServiceFixture, sharedDirectory } from '../fixtures.js'

const hasPostgres = findPostgresPrograms() !== undefined
const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

describe.each<[name: string, isAvailable: boolean, createLocation: () => Promise<string>]>([
  ['SQLite', true, sqliteLocation],
  [`PostgreSQL${hasPostgres ? '' : ' (skipped: no server is installed)'}`, hasPostgres, postgresLocation],
])('an assignment over %s', (_, isAvailable, createLocation) => {
  it.skipIf(!isAvailable).each(['POST', 'PATCH'])(
    'does not end between its check and the write of a %s request',
    async (method) => {
      const location = await createLocation()
      const [storage, other] = [await open(location), await open(location)]
      Object.assign(other.limits, { lockMs: 0, statementMs: 200 })
      let hasEnded = false
      const end = async () => {
        hasEnded ||= await administration
          .unassign(other, { email: 'a@example.org', projects: ['Acme/Website'], lastDay: '2024-05-01' })
          .then(
            () => true,
            () => false, // The database is locked.
          )
      }
      let onCheck = async () => {}
      const service = await createServiceFixture({
        ...storage,
        queries: withHook(storage.queries, () => onCheck()),
      })
      await administration.updateCompany(storage, { visibility: 'assigned' })
      await administration.assign(storage, { email: 'a@example.org', project: 'Acme/Website' })
      const entry = { task_link_id: service.link, time_start: '2024-05-02T09:00:00Z' }
      const first = await service.send('POST', '/timesheets', entry)
      const { id } = (await first.json()) as { id: number }
      onCheck = end
      const { status } =
        method === 'POST'
          ? await service.send('POST', '/timesheets', entry)
          : await service.send('PATCH', `/timesheets/${id}`, { time_start: '2024-05-03T09:00:00Z' })
      expect({ status, hasEnded }).toEqual({ status: method === 'POST' ? 201 : 200, hasEnded: false })
      await end()
      expect(hasEnded).toBe(true)
      expect((await service.send('POST', '/timesheets', entry)).status).toBe(422)
    },
  )
})

/** Returns these queries, calling `onCheck` after each one that reads assignments, before its result is used. */
function withHook(queries: Queries, onCheck: () => Promise<void>): Queries {
  return {
    ...queries,
    async all<Row>(query: Parameters<Queries['all']>[0]) {
      const rows = await queries.all<Row>(query)
      if (query.texts.join('').includes('from assignments')) await onCheck()
      return rows
    },
    transaction: (work) => queries.transaction((transaction) => work(withHook(transaction, onCheck))),
  }
}

async function open(location: string): Promise<Storage> {
  const storage = await openStorage(location)
  cleanUps.push(() => storage.close())
  return storage
}

async function sqliteLocation(): Promise<string> {
  const directory = await sharedDirectory()
  cleanUps.push(() => directory.remove())
  return `sqlite:${join(directory.path, 'service.sqlite')}`
}

async function postgresLocation(): Promise<string> {
  const { url, drop } = await createSharedDatabase()
  cleanUps.push(drop)
  return url
}
