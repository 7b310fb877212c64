import { describe, expect, it, test } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import {
  listBrowserSignIns,
  listIssuedTokens,
  revokeIssuedTokens,
} from '../../../../src/service/accounts/issued-tokens.js'
import { issueKey } from '../../../../src/service/accounts/legacy-key.js'
import { setPassword } from '../../../../src/service/accounts/passwords.js'
import { generateToken, hashToken } from '../../../../src/service/accounts/tokens.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { databases, now as start, useDatabase } from '../fixtures.js'
import { password, passwordCost, useOAuthTestService } from '../oauth/test-service.js'

test.each(['tt', 'ttc', 'ttr'] as const)(
  'the hash of a token of the type %s begins with its time',
  (type) => {
    const now = Date.UTC(2024, 4, 8)
    const token = generateToken(now, type)
    expect(token).toMatch(new RegExp(`^${type}_[0-9a-f]{12}_[\\w-]{43}$`))
    expect(hashToken(token)).toMatch(new RegExp(`^${now.toString(16).padStart(12, '0')}[0-9a-f]{64}$`))
    expect(hashToken(token.replace(`${type}_`, 'xx_'))).toMatch(/^[0-9a-f]{64}$/)
  },
)

const [ada, bob] = ['ada@example.com', 'bob@example.com']
const day = 24 * 60 * 60_000

describe.each(databases)('access over %s', (_, open) => {
  const database = useDatabase(open)
  const service = useOAuthTestService(database)

  const requestKey = async (email = ada) => {
    const response = await service.requestKey({ email })
    return { status: response.status, ...((await response.json()) as { api_key: string; error: string }) }
  }
  const revokeWithoutClient = async (token: string) =>
    (await service.post('/oauth/revoke', { token, client_id: null, client_secret: null })).status
  const setPasswordOf = (email: string, typed: string) =>
    setPassword(service.storage, { email, password: typed, clock: service.now, cost: passwordCost })
  const issueAdminToken = (email: string) =>
    administration.issueToken(service.storage, email, { scopes, name: 'tt admin', clock: service.now })
  const addBob = async () => {
    await administration.addUser(service.storage, { email: bob, name: 'Bob', clock: service.now })
    await setPasswordOf(bob, password)
  }
  const list = (email?: string) => listIssuedTokens(service.storage, { email, clock: service.now })

  /** Gives Ada and Bob a key and a token each, and Ada an authorized application and a browser session. */
  async function createAccess() {
    await addBob()
    const tokens = await service.exchangeCode(await service.authorizationCode())
    service.advanceClock(1)
    const key = await requestKey()
    service.advanceClock(1)
    const own = [key.api_key, await issueAdminToken(ada), tokens.access_token]
    const others = [(await requestKey(bob)).api_key, await issueAdminToken(bob)]
    const statuses = (secrets: string[]) => () =>
      Promise.all(secrets.map((secret) => service.apiStatus(secret)))
    return { refreshToken: tokens.refresh_token, own: statuses(own), others: statuses(others) }
  }

  it.each<[string, () => Promise<{ revoked: unknown }>]>([
    ['a password reset', () => setPasswordOf(ada, 'another long password')],
    ['a deactivation', () => administration.deactivateUser(service.storage, ada, service.now)],
    ['a revocation', () => administration.revokeUser(service.storage, 'ADA@example.com', service.now)],
  ])('ends for good with %s, and only that of the user', async (_, end) => {
    const access = await createAccess()
    expect(await access.own()).toEqual([200, 200, 200])
    expect(await listBrowserSignIns(service.storage, ada, service.now)).toHaveLength(1)
    expect((await end()).revoked).toEqual({ tokens: 2, grants: 1, sessions: 1 })
    await administration.activateUser(service.storage, ada)
    expect(await access.own()).toEqual([401, 401, 401])
    expect(await service.refresh(access.refreshToken)).toMatchObject({ error: 'invalid_grant' })
    expect(await listBrowserSignIns(service.storage, ada, service.now)).toEqual([])
    expect(await access.others()).toEqual([200, 200])
    expect((await list(ada)).map(({ isValid, revokedAt }) => [isValid, revokedAt])).toEqual(
      Array(3).fill([false, service.now()]),
    )
  })

  it('is listed without secrets, with kind, user, last use and expiry', async () => {
    await createAccess()
    service.advanceClock(2 * 60 * 60_000)
    const key = (await requestKey()).api_key
    await service.apiStatus(key)
    const tokens = await list(ada)
    expect(tokens).toMatchObject([
      { id: expect.stringMatching(/^g\d+$/), user: ada, kind: 'oauth', name: 'Desktop', usedAt: null },
      { id: expect.stringMatching(/^t\d+$/), user: ada, kind: 'key', name: 'Script', expiresAt: null },
      { kind: 'admin', name: 'tt admin', scopes: ['service:read', 'service:write'], isValid: true },
      { kind: 'key', usedAt: service.now(), createdAt: service.now(), isValid: true },
    ])
    expect(tokens[0]?.expiresAt).toEqual(new Date(start.getTime() + 90 * day))
    expect((await list()).map(({ user }) => user).filter((user) => user === bob)).toHaveLength(2)
    expect(JSON.stringify(tokens)).not.toContain('tt_')
    await expect(list('eve@example.com')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('ends for single tokens and applications by their IDs, all or none', async () => {
    const access = await createAccess()
    const ids = (await list(ada)).map(({ id }) => id)
    const [grant = '', key = ''] = ids
    const revoke = (...ids: string[]) => revokeIssuedTokens(service.storage, ids, service.now)
    for (const unknown of ['t999999', '12', 'x12', 't', 'tt_secret', '', 't0'])
      await expect(revoke(key, unknown)).rejects.toMatchObject({
        ...{ code: 'not_found', message: `There is no token "${unknown}".` },
      })
    expect(await access.own()).toEqual([200, 200, 200])
    const revoked = await revoke(grant, key)
    expect(revoked).toMatchObject([
      { id: grant, isValid: false },
      { id: key, isValid: false },
    ])
    expect(await access.own()).toEqual([401, 200, 401])
    expect(await service.refresh(access.refreshToken)).toMatchObject({ error: 'invalid_grant' })
    expect(await access.others()).toEqual([200, 200])
    const first = revoked[1]?.revokedAt
    service.advanceClock(day)
    expect((await revoke(key))[0]?.revokedAt).toEqual(first)
  })

  it('lists browser sessions with address and browser until they expire', async () => {
    const browser = service.browser({ remoteAddress: '192.0.2.7', localAddress: '127.0.0.1' })
    const page = await browser.open(service.authorization())
    await browser.press(page, 'sign-in', { email: ada, password }, { 'User-Agent': 'x'.repeat(1000) })
    const expiresAt = new Date(service.now().getTime() + day / 2)
    expect(await listBrowserSignIns(service.storage, ada, service.now)).toEqual([
      { createdAt: service.now(), expiresAt, address: '192.0.2.7', browser: 'x'.repeat(255) },
    ])
    service.advanceClock(day / 2)
    expect(await listBrowserSignIns(service.storage, ada, service.now)).toEqual([])
  })

  describe('with a legacy key', () => {
    it('ends at /oauth/revoke, with and without client credentials, only for that key', async () => {
      const [one, other, third] = [await requestKey(), await requestKey(), await requestKey()]
      expect(await revokeWithoutClient(one.api_key)).toBe(200)
      expect((await service.post('/oauth/revoke', { token: other.api_key })).status).toBe(200)
      const keys = [one, other, third].map(({ api_key }) => api_key)
      expect(await Promise.all(keys.map((key) => service.apiStatus(key)))).toEqual([401, 401, 200])
      expect(await revokeWithoutClient(one.api_key)).toBe(200)
    })

    it('needs client credentials at /oauth/revoke for other tokens', async () => {
      const tokens = await service.exchangeCode(await service.authorizationCode())
      const secrets = [await issueAdminToken(ada), tokens.access_token, tokens.refresh_token, 'tt_unknown']
      for (const token of secrets) expect(await revokeWithoutClient(token)).toBe(401)
      expect(await service.apiStatus(secrets[0] ?? '')).toBe(200)
      expect(await service.apiStatus(tokens.access_token)).toBe(200)
    })

    it('ends with the age that the company allows, also for existing keys', async () => {
      const { api_key: key } = await requestKey()
      const admin = await issueAdminToken(ada)
      service.advanceClock(30 * day - 1)
      expect(await service.apiStatus(key)).toBe(200)
      await administration.updateCompany(service.storage, { legacyKeyDays: 30 })
      expect(await service.apiStatus(key)).toBe(200)
      service.advanceClock(1)
      expect([await service.apiStatus(key), await service.apiStatus(admin)]).toEqual([401, 200])
      expect((await list()).map(({ isValid }) => isValid)).toEqual([false, true])
      await administration.updateCompany(service.storage, { legacyKeyDays: null })
      expect(await service.apiStatus(key)).toBe(200)
    })

    it('is refused where the company disables keys', async () => {
      const { api_key: key } = await requestKey()
      const tokens = await service.exchangeCode(await service.authorizationCode())
      await administration.updateCompany(service.storage, { legacyKeys: false })
      expect(await service.apiStatus(key)).toBe(401)
      expect(await requestKey()).toMatchObject({ status: 404, error: 'legacy_keys_disabled' })
      expect(await service.apiStatus(tokens.access_token)).toBe(200)
      const expected = [{ kind: 'key', isValid: false, expiresAt: null }, { isValid: true }]
      expect(await list()).toMatchObject(expected)
    })

    it.each<[string, () => Promise<unknown>, boolean]>([
      ['a password reset', () => setPasswordOf(ada, 'another long password'), false],
      ['a deactivation', () => administration.deactivateUser(service.storage, ada, service.now), false],
      ['the reset of another user', () => setPasswordOf(bob, 'another long password'), true],
    ])(
      'is issued after the check of the password and %s only if the user is unchanged',
      async (_, change, isIssued) => {
        await addBob()
        const [user] = await service.storage.queries.all<{ id: number; password: string }>(
          sql`select id, password from users where email = ${ada}`,
        )
        await change()
        const context = { storage: service.storage, address: '127.0.0.1', now: 1 }
        const checked = { userId: user?.id ?? 0, passwordHash: user?.password ?? '' }
        const key = await issueKey(context, checked, 'Script')
        expect(key !== undefined).toBe(isIssued)
      },
    )
  })
})
