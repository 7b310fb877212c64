import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { dayMs } from '../../src/lib/time-units.js'
import { deleteExpired, startCleanUp } from '../../src/service/operation/clean-up.js'
import { identifier, insertInto, rawSql, sql } from '../../src/service/storage/sql.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { findPostgresPrograms } from '../support/postgres.js'
import { clock, type Database, databases, now, temporarySqlite } from '../unit/service/fixtures.js'
import { createOAuthTestService, type OAuthTestService } from '../unit/service/oauth/test-service.js'

let database: Database
let storage: Storage
let service: OAuthTestService
const time = now.getTime()

async function openService(open: () => Promise<Database>) {
  database = await open()
  storage = database.storage
  service = await createOAuthTestService(storage)
}
afterEach(() => database.close())

/** Adds a grant with refresh tokens that expire at these times, each with an access token. */
async function addGrant(createdAt: number, expiries: number[]): Promise<number> {
  const { queries } = storage
  const [grant] = await queries.all<{ id: number; user_id: number }>(sql`
    insert into grants (application_id, user_id, scopes, created_at)
    select applications.id, users.id, '', ${createdAt} from applications, users returning id, user_id`)
  const { id: grant_id = 0, user_id } = grant ?? {}
  const unique = () => `${grant_id}-${Math.random()}`
  for (let from = 0; from < expiries.length; from += 500) {
    const tokens = await queries.all<{ id: number }>(
      sql`${insertInto(
        'refresh_tokens',
        ...expiries
          .slice(from, from + 500)
          .map((expires_at) => ({ grant_id, hash: unique(), created_at: createdAt, expires_at })),
      )} returning id`,
    )
    await queries.all(
      insertInto(
        'tokens',
        ...tokens.map(({ id }) => ({
          ...{ user_id, hash: unique(), scopes: '', name: 'OAuth', created_at: createdAt },
          refresh_token_id: id,
        })),
      ),
    )
  }
  return grant_id
}

async function count(table: 'grants' | 'refresh_tokens' | 'tokens' | 'authorization_codes' | 'sessions') {
  const [rows] = await storage.queries.all<{ count: number }>(
    sql`select count(*) as count from ${identifier(table)}`,
  )
  return rows?.count ?? 0
}

const pause = async () => {}
const fixedSize = (size: number) => ({ least: size, most: size, batches: 1 })

describe.each(databases)('the clean-up over %s', (kind, open) => {
  beforeEach(() => openService(open))

  it.each([1, 3, 1000])('deletes what has expired in batches of %i, and nothing else', async (batchSize) => {
    const { queries } = storage
    const old = time - 100 * dayMs
    const current = await addGrant(old, [time - 1, time - 2, time, time + 1])
    await addGrant(old, [time - 1, time - 5])
    const unused = await addGrant(time - dayMs + 1, [])
    await addGrant(old, [])
    const withCode = await addGrant(old, [])
    const code = { redirect_uri: 'x', challenge: 'x' }
    await queries.all(
      insertInto(
        'authorization_codes',
        { ...code, grant_id: withCode, hash: 'kept', expires_at: time - dayMs + 1 },
        { ...code, grant_id: current, hash: 'expired', expires_at: time - dayMs },
      ),
    )
    const [user] = await queries.all<{ id: number }>(sql`select id from users`)
    const user_id = user?.id
    await queries.all(
      insertInto(
        'sessions',
        ...['a', 'b', 'c', 'd'].map((hash, index) => ({ hash, user_id, expires_at: time + index - 2 })),
      ),
    )

    let pauses = 0
    const options = { sizes: fixedSize(batchSize), pause: async () => void pauses++ }
    // 5 refresh tokens, 1 code, 3 sessions and 2 grants; access tokens are not counted.
    expect(await deleteExpired(storage, time, options)).toBe(11)
    expect(pauses).toBeGreaterThanOrEqual(5)
    const grants = await queries.all<{ id: number }>(sql`select id from grants order by id`)
    expect(grants.map(({ id }) => id)).toEqual([current, unused, withCode])
    expect(await queries.all(sql`select expires_at from refresh_tokens`)).toEqual([{ expires_at: time + 1 }])
    expect(await count('tokens')).toBe(1)
    expect(await queries.all(sql`select hash from authorization_codes`)).toEqual([{ hash: 'kept' }])
    expect(await queries.all(sql`select hash from sessions`)).toEqual([{ hash: 'd' }])
    expect(await deleteExpired(storage, time, { sizes: fixedSize(batchSize), pause })).toBe(0)
  })

  it.runIf(kind === 'SQLite')('deletes a large backlog in batches of up to eight times as many', async () => {
    await addGrant(time - 100 * dayMs, Array<number>(5000).fill(time - 1))
    const sizes = { least: 1, most: 8, batches: 500 }
    const left = [await count('refresh_tokens')]
    const countLeft = async () => void left.push(await count('refresh_tokens'))
    expect(await deleteExpired(storage, time, { sizes, pause: countLeft })).toBe(5001)
    const deleted = left.map((size, index) => size - (left[index + 1] ?? 0)).filter((size) => size > 0)
    deleted.pop() // The last batch contains the remaining records.
    expect(new Set(deleted)).toEqual(new Set([8]))
  })

  it('lets requests pass between its batches, and stops between them', async () => {
    const tokens = await service.exchangeCode(await service.authorizationCode())
    await addGrant(time - 100 * dayMs, Array<number>(4000).fill(time - 1))
    const results: number[] = []
    const cleanUp = startCleanUp({ storage, clock, onDone: ({ deleted }) => results.push(deleted) })
    onTestFinished(() => cleanUp.stop())
    for (let request = 0; request < 3; request++)
      expect(await service.apiStatus(tokens.access_token)).toBe(200)
    if (kind === 'SQLite') {
      expect(results).toEqual([]) // It is not done yet.
      await cleanUp.stop()
      const left = await count('refresh_tokens')
      expect(left).toBeGreaterThan(1)
      const again = startCleanUp({ storage, clock, onDone: ({ deleted }) => results.push(deleted) })
      onTestFinished(() => again.stop())
    }
    await expect.poll(() => results, { timeout: 60_000 }).toHaveLength(1)
    expect(await count('refresh_tokens')).toBe(1)
  })

  it('runs again after the interval, and earlier after an error', async () => {
    const errors: unknown[] = []
    const results: number[] = []
    const { queries } = storage
    await queries.all(sql`alter table sessions rename to elsewhere`)
    const cleanUp = startCleanUp({
      ...{ storage, clock, retryMs: 5 },
      onDone: ({ deleted }) => results.push(deleted),
      onError: (error) => errors.push(error),
    })
    onTestFinished(() => cleanUp.stop())
    await expect.poll(() => errors.length, { timeout: 60_000 }).toBeGreaterThan(1)
    await addGrant(time - 100 * dayMs, [time - 1])
    await queries.all(sql`alter table elsewhere rename to sessions`)
    await expect.poll(() => results, { timeout: 60_000 }).toEqual([2])
    await cleanUp.stop()
    const again = startCleanUp({
      ...{ storage, clock, intervalMs: 5 },
      onDone: ({ deleted }) => results.push(deleted),
    })
    onTestFinished(() => again.stop())
    await expect.poll(() => results.length, { timeout: 60_000 }).toBeGreaterThan(2)
  })

  // PGlite has one connection, whose transactions all hold the same locks.
  if (kind === 'PostgreSQL' && findPostgresPrograms() !== undefined)
    it('leaves the work to the node that does it already', async () => {
      await addGrant(time - 100 * dayMs, [time - 1, time - 1])
      const locked = storage.queries.transaction(async (transaction) => {
        await transaction.all(sql`select pg_advisory_xact_lock(7482953302::bigint)`)
        return deleteExpired(storage, time, { sizes: fixedSize(10), pause })
      })
      expect(await locked).toBe(0)
      expect(await count('refresh_tokens')).toBe(2)
      expect(await deleteExpired(storage, time, { sizes: fixedSize(10), pause })).toBe(3)
    })
})

it('finds expired records and the tokens of a grant by indexes', async () => {
  await openService(temporarySqlite)
  for (const query of [
    'select id from refresh_tokens where expires_at <= 1 order by expires_at limit 5',
    'select id from authorization_codes where expires_at <= 1 order by expires_at limit 5',
    'select hash from sessions where expires_at <= 1 order by expires_at limit 5',
    'select subject from sign_in_attempts where forget_at <= 1 order by forget_at limit 5',
    `select id from grants where id > 5 and id <= 9 and not exists (select 1 from authorization_codes where grant_id = grants.id)
       and not exists (select 1 from refresh_tokens where grant_id = grants.id)`,
  ]) {
    const plan = await storage.queries.all<{ detail: string }>(sql`explain query plan ${rawSql(query)}`)
    for (const { detail } of plan.filter(({ detail }) => /SEARCH|SCAN|TEMP/.test(detail)))
      expect(detail).toMatch(/^SEARCH .*USING (COVERING )?(INDEX|INTEGER PRIMARY KEY)/)
  }
})
