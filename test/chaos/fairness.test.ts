import { type Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { scopes } from '../../src/api-client/types.js'
import { generateToken, hashToken } from '../../src/service/accounts/tokens.js'
import * as administration from '../../src/service/admin/administration.js'
import { deleteExpired } from '../../src/service/oauth/grants/expiry.js'
import type { Schema } from '../../src/service/storage/schema.js'
import { openStorage, type Storage } from '../../src/service/storage/storage.js'
import { createSharedDatabase, findPostgresPrograms } from '../support/postgres.js'
import { startServeProcess, temporaryDirectory } from '../support/process.js'
import { printFigure } from './print-figure.js'

const clock = () => new Date('2024-05-08T12:00:00Z')
const places = ['SQLite', ...(findPostgresPrograms() ? ['PostgreSQL'] : [])]

async function createLocation(place: string): Promise<string> {
  if (place === 'SQLite') return `sqlite:${temporaryDirectory()}/team.db`
  const { url, drop } = await createSharedDatabase()
  onTestFinished(drop)
  return url
}

/** Adds rows of a table whose columns are SQL expressions of `n`, the number of the row from 1. */
async function fill(db: Kysely<Schema>, table: string, count: number, columns: Record<string, string>) {
  const [names, values] = [Object.keys(columns).join(), Object.values(columns).join()]
  await sql`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
    insert into ${sql.raw(`${table} (${names}) select ${values}`)} from numbers`.execute(db)
}

async function addUser(storage: Storage, email: string) {
  const { id } = await administration.addUser(storage, { email, name: email, clock })
  const token = generateToken()
  const granted = { hash: hashToken(token), scopes: scopes.join(' '), name: 'test', created_at: 0 }
  await storage.db
    .insertInto('tokens')
    .values({ user_id: id, ...granted })
    .execute()
  return { id, headers: { authorization: `Bearer ${token}` } }
}

const percentile = (values: number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0

test.each(places)('a user waits little while another one reads 200,000 entries from %s', async (place) => {
  const location = await createLocation(place)
  const storage = await openStorage(location)
  await administration.ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'UTC' })
  const reader = await addUser(storage, 'reader@example.com')
  const other = await addUser(storage, 'other@example.com')
  const link = await administration.addLink(storage, { project: 'Website', task: 'Design' })
  const entry = { task_link_id: String(link.id), created_at: '0', updated_at: '0', notes: "'note ' || n" }
  const times = { time_start: 'cast(n as bigint) * 60000', time_end: 'cast(n as bigint) * 60000 + 30000' }
  await fill(storage.db, 'time_entries', 200_000, { ...entry, ...times, user_id: String(reader.id) })
  await fill(storage.db, 'time_entries', 200, { ...entry, ...times, user_id: String(other.id) })
  await storage.close()
  const { url } = await startServeProcess(
    temporaryDirectory(),
    ...['--database', location, '--list-limit', '1000000', '--quiet'],
  )

  const measure = async (isDone: (count: number) => boolean) => {
    const durations: number[] = []
    while (!isDone(durations.length)) {
      const startMs = performance.now()
      const response = await fetch(`${url}/timesheets?per_page=20`, { headers: other.headers })
      expect([response.status, ((await response.json()) as unknown[]).length]).toEqual([200, 20])
      durations.push(performance.now() - startMs)
    }
    return durations
  }
  await measure((count) => count >= 200)
  const alone = await measure((count) => count >= 1000)
  let isReading = true
  const reading = fetch(`${url}/timesheets`, { headers: reader.headers })
    .then((response) => response.text())
    .finally(() => {
      isReading = false
    })
  const beside = await measure((count) => !isReading && count > 0)
  expect(JSON.parse(await reading)).toHaveLength(200_000)
  const [before, during] = [percentile(alone, 0.99), percentile(beside, 0.99)]
  const figures = `p99 ${before.toFixed(1)} ms alone, ${during.toFixed(1)} ms beside the reader (${beside.length} requests), longest ${Math.max(...beside).toFixed(1)} ms`
  printFigure(`${place}: ${figures}: ${(during / before).toFixed(2)} times`)
})

test.each(places)('the clean-up of %s takes time in proportion to the expired tokens', async (place) => {
  const storage = await openStorage(await createLocation(place))
  onTestFinished(() => storage.close())
  const { db } = storage
  await administration.ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'UTC' })
  const { id: user } = await addUser(storage, 'ada@example.com')
  const application = { client_id: 'x', secret_hash: 'x', name: 'x', redirect_uris: 'x', created_at: 0 }
  const { id } = await db
    .insertInto('applications')
    .values(application)
    .returning('id')
    .executeTakeFirstOrThrow()
  const measured: number[] = []
  for (const count of [50_000, 600_000]) {
    const owner = { application_id: String(id), user_id: String(user), scopes: "''", created_at: '0' }
    await fill(db, 'grants', count / 10, owner)
    const { rows } = await sql<{ first: number }>`select min(id) as first from grants`.execute(db)
    const grant_id = `${rows[0]?.first} + n % ${count / 10}`
    const token = {
      grant_id,
      hash: `'${count}-' || n`,
      created_at: '0',
      expires_at: 'cast(n % 2 as bigint) * 1000000000000000',
    }
    await fill(db, 'refresh_tokens', count, token)
    const [startMs, cpu] = [performance.now(), process.cpuUsage()]
    const deleted = await deleteExpired(storage, clock().getTime(), {
      batchSize: 1000,
      pause: async () => {},
    })
    const { user: userTime, system } = process.cpuUsage(cpu)
    measured.push(performance.now() - startMs)
    printFigure(
      `${place}: ${count} refresh tokens, ${deleted} expired records: ${Math.round(measured.at(-1) ?? 0)} ms, processor time of this process ${Math.round((userTime + system) / 1000)} ms`,
    )
    // Half of the tokens, and the grants that have no others.
    expect(deleted).toBe(count / 2 + count / 20)
    await db.deleteFrom('grants').execute()
  }
  printFigure(`${place}: ${((measured[1] ?? 0) / (measured[0] ?? 1)).toFixed(1)} times for 12 times as many`)
})
