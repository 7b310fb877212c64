import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import type { Sqlite } from '../../../../src/lib/sqlite/connection.js'
import { openSqlite } from '../../../../src/lib/sqlite/open.js'
import { authenticateByToken } from '../../../../src/service/accounts/authentication.js'
import { issueToken } from '../../../../src/service/admin/administration.js'
import { createApp } from '../../../../src/service/http/app.js'
import type { RequestTrace } from '../../../../src/service/http/request-context.js'
import type { Storage } from '../../../../src/service/storage/storage.js'
import { createServiceFixture, now, type ServiceFixture, temporarySqlite } from '../fixtures.js'
import { expectSuccess, expectUnavailable, prepareOAuthRequests } from '../oauth/oauth-requests.js'
import { createOAuthTestService } from '../oauth/test-service.js'

let storage: Storage
let close: () => Promise<void>
let at: ServiceFixture
/** Another program that uses the same file. */
let other: Sqlite
beforeEach(async () => {
  const database = await temporarySqlite()
  storage = database.storage
  close = database.close
  at = await createServiceFixture(storage)
  other = await openSqlite(database.path)
})
afterEach(async () => {
  other.close()
  await close()
})

const create = () =>
  at.send('POST', '/timesheets', { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link })

it('waits for a locked SQLite file while the process goes on', async () => {
  other.exec('begin immediate')
  let hasEnded = false
  const creating = create().finally(() => {
    hasEnded = true
  })
  // This runs only if the request that waits does not block the process.
  await sleep(100)
  expect([(await at.get('/timesheets')).status, hasEnded]).toEqual([200, false])
  other.exec('commit')
  expect((await creating).status).toBe(201)
})

it('responds 503 without a path while a SQLite file stays locked, also to requests that wait for each other', {
  tags: 'slow',
}, async () => {
  storage.limits.lockMs = 100
  other.exec('begin immediate')
  const responses = await Promise.all([
    ...Array.from({ length: 10 }, create),
    ...Array.from({ length: 10 }, () => at.send('DELETE', '/timesheets/1')),
  ])
  other.exec('rollback')
  for (const response of responses) {
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '2'])
    const message = 'The service is temporarily unavailable. Send the request again.'
    expect(await response.json()).toEqual({ error: 'unavailable', message, errors: {} })
  }
  expect((await create()).status).toBe(201)
  // Another connection sees it.
  expect(other.prepare('select count(*) as count from time_entries').get()).toEqual({ count: 1 })
})

it('responds 503 to requests of the authorization server, and uses up nothing', {
  tags: 'slow',
}, async () => {
  const requests = await prepareOAuthRequests(await createOAuthTestService(storage))
  storage.limits.lockMs = 50
  other.exec('begin immediate')
  await expectUnavailable(requests.filter(({ isRead }) => !isRead))
  await expectSuccess(requests.filter(({ isRead }) => isRead))
  other.exec('rollback')
  await expectSuccess(requests)
})

it('responds 401 to a token that was revoked, also while a change cannot check it', async () => {
  storage.limits.lockMs = 50
  const clock = () => now
  const token = await issueToken(storage, 'a@example.org', { scopes, name: 'test', clock })
  const app = createApp({ storage, clock, ...authenticateByToken(storage, clock) })
  const send = async (body: object) => {
    const text = JSON.stringify(body)
    const headers = new Headers({ Authorization: `Bearer ${token}`, 'Content-Length': String(text.length) })
    const request = { url: 'http://local/api/v1/timesheets', headers, text: async () => text }
    const trace: RequestTrace = { id: 'x' }
    const { status } = await app.serve({ method: 'POST', ...request, isRepeatable: true }, { trace })
    return [status, trace.userId]
  }
  const entry = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link }
  expect(await send(entry)).toEqual([201, at.users[0]])
  other.exec('begin immediate')
  expect(await send(entry)).toEqual([503, at.users[0]])
  other.exec('rollback')
  other.exec('update tokens set revoked_at = 1')
  other.exec('begin immediate')
  expect(await send(entry)).toEqual([401, undefined])
  other.exec('rollback')
})
