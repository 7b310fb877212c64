import { describe, expect, it } from 'vitest'
import { appendAudit, readAuditLog } from '../../../../src/service/admin/audit-log.js'
import { deactivateUser } from '../../../../src/service/admin/users.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { databases, useDatabase } from '../fixtures.js'
import { password, useOAuthTestService } from '../oauth/test-service.js'

const ada = 'ada@example.com'

describe.each(databases)('the audit log over %s', (_, open) => {
  const database = useDatabase(open)
  const service = useOAuthTestService(database)

  const records = () => service.auditRecords()
  const events = async () => (await records()).map(({ event, actor, details }) => [event, actor, details])
  const requestKey = async (email: string, password: string) => {
    const connection = { remoteAddress: '192.0.2.7', localAddress: '127.0.0.1' }
    const response = await service.requestKey({ email, password }, connection)
    return ((await response.json()) as { api_key: string }).api_key
  }

  it('records sign-ins, keys and their revocation with the address', async () => {
    const key = await requestKey(ada, password)
    await service.post('/oauth/revoke', { token: key })
    await service.post('/oauth/revoke', { token: key })
    await requestKey(ada, 'wrong')
    expect(await records()).toMatchObject([
      { event: 'sign_in', actor: ada, address: '192.0.2.7', at: service.now(), details: null },
      { event: 'key_issued', actor: ada, address: '192.0.2.7', details: 'Script' },
      { event: 'key_revoked', actor: ada, address: '127.0.0.1', details: 'Script' },
      { event: 'sign_in_failed', actor: ada, address: '192.0.2.7' },
    ])
    expect(JSON.stringify(await records())).not.toContain(key)
  })

  it('records no text that is not the address of an account: it may be a password', async () => {
    await requestKey('correct horse battery', 'x')
    expect(await events()).toEqual([['sign_in_failed', null, null]])
  })

  it('names the account of a failed sign-in also after its deactivation', async () => {
    await deactivateUser(service.storage, ada, service.now)
    await requestKey(ada, password)
    expect(await records()).toMatchObject([{ event: 'sign_in_failed', actor: ada, address: '192.0.2.7' }])
  })

  it('records authorizations of applications, reused refresh tokens, revocations and sign-outs', async () => {
    const browser = service.browser()
    const consent = await browser.signIn(service.authorization(), ada, password)
    await browser.press(consent, 'switch')
    const first = await service.exchangeCode(await service.authorizationCode())
    const second = await service.refresh(first.refresh_token)
    await service.refresh(second.refresh_token)
    await service.refresh(first.refresh_token)
    const other = await service.exchangeCode(await service.authorizationCode({ scope: 'service:read' }))
    await service.post('/oauth/revoke', { token: other.refresh_token })
    expect(await events()).toEqual([
      ['sign_in', ada, null],
      ['sign_out', ada, null],
      ['sign_in', ada, null],
      ['application_authorized', ada, 'Desktop (service:read service:write)'],
      ['refresh_token_reused', ada, null],
      ['sign_in', ada, null],
      ['application_authorized', ada, 'Desktop (service:read)'],
      ['application_revoked', ada, null],
    ])
    const stored = JSON.stringify(await records())
    for (const secret of [first.refresh_token, second.access_token, password])
      expect(stored).not.toContain(secret)
  })

  it('cannot be changed', async () => {
    const { queries } = database.storage
    await appendAudit(queries, { at: 1, event: 'sign_in', actor: ada, details: 'x'.repeat(5000) })
    const stored = await records()
    expect(stored[0]?.details).toHaveLength(1000)
    const changes = [sql`update audit_log set actor = 'eve'`, sql`delete from audit_log`]
    for (const change of changes) await expect(queries.all(change)).rejects.toThrow(/append-only/)
    expect(await records()).toEqual(stored)
  })

  it('is filtered by time, event and user, and limited to the latest records', async () => {
    const { queries } = database.storage
    const at = service.now().getTime() + 1_000_000
    for (const [index, actor] of [ada, 'bob@example.com', ada, ada].entries())
      await appendAudit(queries, { at: at + index, event: index === 2 ? 'sign_out' : 'sign_in', actor })
    const times = async (filter: Omit<Parameters<typeof readAuditLog>[1], 'limit'>, limit = 10) =>
      (await readAuditLog(database.storage, { since: at, ...filter, limit })).map(
        (one) => one.at.getTime() - at,
      )
    expect(await times({})).toEqual([0, 1, 2, 3])
    expect(await times({ since: at + 1, until: at + 3 })).toEqual([1, 2])
    expect(await times({ event: 'sign_in', actor: ada })).toEqual([0, 3])
    expect(await times({}, 2)).toEqual([2, 3])
  })
})
