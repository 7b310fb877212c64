import pg from 'pg'
import { describe, onTestFinished, test } from 'vitest'
import type { ConnectionOptions } from '../../src/service/storage/postgres/pool.js'
import { openStorage, type Storage } from '../../src/service/storage/storage.js'
import { createSharedDatabase, execute, findPostgresPrograms } from '../support/postgres.js'
import {
  expectSuccess,
  expectUnavailable,
  type OAuthRequest,
  prepareOAuthRequests,
} from '../unit/service/oauth/oauth-requests.js'
import { createOAuthTestService } from '../unit/service/oauth/test-service.js'

const hasPostgres = findPostgresPrograms() !== undefined
const reason = hasPostgres ? '' : ' (skipped: no PostgreSQL server is installed)'

async function prepare(
  url: string,
  options: ConnectionOptions,
): Promise<{ storage: Storage; requests: OAuthRequest[] }> {
  const storage = await openStorage(url, options)
  onTestFinished(() => storage.close())
  return { storage, requests: await prepareOAuthRequests(await createOAuthTestService(storage)) }
}

async function createDatabase(): Promise<string> {
  const { url, drop } = await createSharedDatabase()
  onTestFinished(drop)
  return url
}

describe.skipIf(!hasPostgres)(`the authorization server over PostgreSQL${reason} responds 503`, () => {
  test('while no connection is free', async () => {
    const { storage, requests } = await prepare(await createDatabase(), { poolSize: 1, connectMs: 100 })
    await storage.queries.transaction(() => expectUnavailable(requests))
    await expectSuccess(requests)
  })

  test('while its tables are locked', async () => {
    const url = await createDatabase()
    const { storage, requests } = await prepare(url, { poolSize: 3 })
    const locker = new pg.Client({ connectionString: url })
    await locker.connect()
    onTestFinished(() => locker.end())
    await locker.query(
      'begin; lock table users, applications, grants, sessions, tokens, refresh_tokens in access exclusive mode',
    )
    storage.limits.statementMs = 200
    await expectUnavailable(requests)
    await locker.query('rollback')
    storage.limits.statementMs = 0
    await expectSuccess(requests)
  })
})

test.skipIf(!hasPostgres)(`the authorization server survives terminated connections${reason}`, async () => {
  const url = await createDatabase()
  const { requests } = await prepare(url, { poolSize: 3 })
  for (const request of requests) {
    await execute(
      url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const { status } = await request.send()
    if (status === 503) await expectSuccess([request])
    else if (status !== request.status) throw new Error(`${request.name}: ${status}`)
  }
})
