import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { revokeIssuedTokens } from '../../../../src/service/accounts/issued-tokens.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { addApplication, removeApplication } from '../../../../src/service/oauth/applications.js'
import { deleteExpired } from '../../../../src/service/operation/clean-up.js'
import { identifier, sql } from '../../../../src/service/storage/sql.js'
import { databases, temporarySqlite, useDatabase } from '../fixtures.js'
import {
  challenge,
  createOAuthTestService,
  type OAuthTestService,
  password,
  redirectUri,
  useOAuthTestService,
  verifier,
} from './test-service.js'

const minute = 60_000
const day = 24 * 60 * minute

describe.each(databases)('the token endpoint over %s', (_, open) => {
  const database = useDatabase(open)
  const service = useOAuthTestService(database)

  const invalidGrant = { status: 400, error: 'invalid_grant', error_description: expect.any(String) }

  const addClient = (name: string, isPublic = false) =>
    addApplication(service.storage, {
      ...{ name, redirectUris: ['http://127.0.0.1/callback'], isPublic, clock: service.now },
    })

  it('exchanges a code for tokens that the API accepts for two hours', async () => {
    const tokens = await service.exchangeCode(await service.authorizationCode())
    expect(tokens).toMatchObject({
      status: 200,
      token_type: 'Bearer',
      expires_in: 7200,
      scope: 'service:read service:write',
    })
    expect(tokens.headers.get('Cache-Control')).toBe('no-store')
    expect(await service.apiStatus(tokens.access_token)).toBe(200)
    expect(await service.apiStatus(tokens.access_token, 'DELETE')).toBe(404)
    service.advanceClock(120 * minute - 1)
    expect(await service.apiStatus(tokens.access_token)).toBe(200)
    service.advanceClock(1)
    expect(await service.apiStatus(tokens.access_token)).toBe(401)
  })

  it('stores only hashes of codes, tokens and secrets', async () => {
    const code = await service.authorizationCode()
    const tokens = await service.exchangeCode(code)
    const browser = service.browser()
    await browser.signIn(service.authorization(), 'ada@example.com', password)
    const session = browser.cookie?.split('=')[1] ?? ''
    const { queries } = service.storage
    const tables = ['authorization_codes', 'refresh_tokens', 'tokens', 'applications', 'sessions']
    const rows = tables.map((table) => queries.all(sql`select * from ${identifier(table)}`))
    const stored = JSON.stringify(await Promise.all(rows))
    const { access_token, refresh_token } = tokens
    for (const secret of [code, access_token, refresh_token, service.client.client_secret, session]) {
      expect(secret.length).toBeGreaterThan(40)
      expect(stored).not.toContain(secret)
    }
  })

  it.each([
    [42, 400],
    [43, 200],
    [128, 200],
    [129, 400],
  ])('accepts verifiers of 43 to 128 characters: %i', async (length, status) => {
    const code_verifier = 'v'.repeat(length)
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const code = await service.authorizationCode({ code_challenge })
    expect((await service.exchangeCode(code, { code_verifier })).status).toBe(status)
  })

  it('redeems a code once, and revokes its tokens when it is replayed', async () => {
    const code = await service.authorizationCode()
    const tokens = await service.exchangeCode(code)
    expect(await service.exchangeCode(code)).toMatchObject(invalidGrant)
    expect(await service.apiStatus(tokens.access_token)).toBe(401)
    expect(await service.refresh(tokens.refresh_token)).toMatchObject(invalidGrant)
  })

  it('redeems a code once for parallel requests', async () => {
    const code = await service.authorizationCode()
    const both = await Promise.all([service.exchangeCode(code), service.exchangeCode(code)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(await service.apiStatus(both.find(({ status }) => status === 200)?.access_token ?? '')).toBe(401)
  })

  it('accepts a code for one minute', async () => {
    const [early, late] = [await service.authorizationCode(), await service.authorizationCode()]
    service.advanceClock(minute - 1)
    expect((await service.exchangeCode(early)).status).toBe(200)
    service.advanceClock(1)
    expect(await service.exchangeCode(late)).toMatchObject(invalidGrant)
  })

  it.each([
    ['another verifier', { code_verifier: `${verifier}x` }],
    ['the challenge itself as the verifier', { code_verifier: challenge }],
    ['a redirect URI with another port', { redirect_uri: 'http://127.0.0.1:50124/callback' }],
    ['a longer redirect URI', { redirect_uri: `${redirectUri}/` }],
    ['a shorter redirect URI', { redirect_uri: redirectUri.slice(0, -1) }],
    ['a redirect URI in other case', { redirect_uri: 'http://127.0.0.1:50123/Callback' }],
    ['another registered redirect URI', { redirect_uri: 'https://app.example.com/back?kept=1' }],
  ])('rejects a code with %s and invalidates the code', async (_, changes) => {
    const code = await service.authorizationCode()
    expect(await service.exchangeCode(code, changes)).toMatchObject(invalidGrant)
    expect(await service.exchangeCode(code)).toMatchObject(invalidGrant)
  })

  it('rejects a code without a verifier', async () => {
    const response = await service.exchangeCode(await service.authorizationCode(), { code_verifier: null })
    expect(response).toMatchObject({ status: 400, error: 'invalid_request' })
    expect(response.access_token).toBeUndefined()
  })

  it('rejects the code of another application without invalidating it', async () => {
    const { client_id, client_secret = '' } = await addClient('Other')
    const code = await service.authorizationCode()
    expect(await service.exchangeCode(code, { client_id, client_secret })).toMatchObject(invalidGrant)
    expect((await service.exchangeCode(code, { client_secret: 'wrong' })).status).toBe(401)
    const tokens = await service.exchangeCode(code)
    expect(tokens.status).toBe(200)
    expect(await service.refresh(tokens.refresh_token, { client_id, client_secret })).toMatchObject(
      invalidGrant,
    )
    expect(
      await service.post('/oauth/revoke', { token: tokens.refresh_token, client_id, client_secret }),
    ).toMatchObject(invalidGrant)
    expect(await service.apiStatus(tokens.access_token)).toBe(200)
  })

  it('serves a public application without a secret, with PKCE and rotation', async () => {
    const { client_id } = await addClient('Public', true)
    const own = { client_id, client_secret: null }
    const code = await service.authorizationCode({ client_id })
    const intercepted = { ...own, code_verifier: `${verifier}x` }
    expect(await service.exchangeCode(code, intercepted)).toMatchObject(invalidGrant)
    const first = await service.exchangeCode(await service.authorizationCode({ client_id }), own)
    const second = await service.refresh(first.refresh_token, own)
    expect(await service.apiStatus(second.access_token)).toBe(200)
    expect(await service.refresh(first.refresh_token, own)).toMatchObject(invalidGrant)
    expect(await service.apiStatus(second.access_token)).toBe(401)
    const third = await service.exchangeCode(await service.authorizationCode({ client_id }), own)
    expect((await service.post('/oauth/revoke', { token: third.refresh_token, ...own })).status).toBe(200)
    expect(await service.apiStatus(third.access_token)).toBe(401)
  })

  it.each([
    ['a secret that a public application does not have', 'public', 'secret'],
    ['no secret for an application that has one', 'secret', null],
    ['an empty secret for an application that has one', 'secret', ''],
  ])('rejects %s', async (_, kind, secret) => {
    const { client_id } = await addClient(kind, kind === 'public')
    const code = await service.authorizationCode({ client_id })
    const changes = { client_id, client_secret: secret }
    expect(await service.exchangeCode(code, changes)).toMatchObject({ status: 401, error: 'invalid_client' })
  })

  it('rotates the refresh token, and revokes the family when a used one is reused', async () => {
    const first = await service.exchangeCode(await service.authorizationCode())
    const second = await service.refresh(first.refresh_token)
    expect(second).toMatchObject({ status: 200, expires_in: 7200, scope: 'service:read service:write' })
    expect(second.refresh_token).not.toBe(first.refresh_token)
    const third = await service.refresh(second.refresh_token)
    expect(await service.apiStatus(third.access_token)).toBe(200)
    expect(await service.refresh(first.refresh_token)).toMatchObject(invalidGrant)
    for (const { access_token } of [first, second, third])
      expect(await service.apiStatus(access_token)).toBe(401)
    expect(await service.refresh(third.refresh_token)).toMatchObject(invalidGrant)
  })

  it('refreshes again a long time after a lost response, and revokes the unused tokens', async () => {
    const first = await service.exchangeCode(await service.authorizationCode())
    const lost = await service.refresh(first.refresh_token)
    expect((await service.refresh(first.refresh_token)).status).toBe(200)
    expect(await service.apiStatus(lost.access_token)).toBe(401)
    service.advanceClock(30 * day)
    const again = await service.refresh(first.refresh_token)
    expect([again.status, await service.apiStatus(again.access_token)]).toEqual([200, 200])
  })

  it.each([
    ['access token', async (pair: { access_token: string }) => service.apiStatus(pair.access_token)],
    ['refresh token', async (pair: { refresh_token: string }) => service.refresh(pair.refresh_token)],
  ])('treats a used refresh token as stolen once the new %s has been used', async (_, use) => {
    const first = await service.exchangeCode(await service.authorizationCode())
    const second = await service.refresh(first.refresh_token)
    await use(second)
    expect(await service.refresh(first.refresh_token)).toMatchObject(invalidGrant)
    expect(await service.apiStatus(second.access_token)).toBe(401)
    expect(await service.refresh(second.refresh_token)).toMatchObject(invalidGrant)
  })

  it('treats a revoked refresh token as stolen once its replacement has been used', async () => {
    const first = await service.exchangeCode(await service.authorizationCode())
    const lost = await service.refresh(first.refresh_token)
    const again = await service.refresh(first.refresh_token)
    expect(await service.apiStatus(again.access_token)).toBe(200)
    expect(await service.refresh(lost.refresh_token)).toMatchObject(invalidGrant)
    expect(await service.apiStatus(again.access_token)).toBe(401)
  })

  it('keeps one working pair of tokens after parallel refreshes, whichever response arrives', async () => {
    const first = await service.exchangeCode(await service.authorizationCode())
    const responses = await Promise.all(Array.from({ length: 8 }, () => service.refresh(first.refresh_token)))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    const { queries } = service.storage
    const working = await queries.all(
      sql`select tokens.id from tokens inner join refresh_tokens on refresh_tokens.id = tokens.refresh_token_id where tokens.revoked_at is null and refresh_tokens.replaced_at is null`,
    )
    expect(working).toHaveLength(1)
    const late = await service.refresh(responses[0]?.refresh_token ?? '')
    expect(late.status).toBe(200)
    expect(await service.apiStatus(late.access_token)).toBe(200)
  })

  it('records only the first use of an access token', async () => {
    const { access_token } = await service.exchangeCode(await service.authorizationCode())
    const used = () => service.storage.queries.all(sql`select used_at from tokens`)
    expect(await used()).toEqual([{ used_at: null }])
    await service.apiStatus(access_token)
    const first = service.now().getTime()
    service.advanceClock(minute)
    await service.apiStatus(access_token)
    expect(await used()).toEqual([{ used_at: first }])
  })

  it('accepts each refresh token for 90 days, also before the clean-up deletes it', async () => {
    const first = await service.exchangeCode(await service.authorizationCode())
    service.advanceClock(90 * day - 1)
    const second = await service.refresh(first.refresh_token)
    expect(second.status).toBe(200)
    service.advanceClock(90 * day)
    expect(await service.storage.queries.all(sql`select id from refresh_tokens`)).toHaveLength(2)
    expect(await service.refresh(second.refresh_token)).toMatchObject(invalidGrant)
  })

  it('narrows the scope of an access token on request, and never widens it', async () => {
    const first = await service.exchangeCode(await service.authorizationCode())
    const narrow = await service.refresh(first.refresh_token, { scope: 'service:read' })
    expect(narrow).toMatchObject({ status: 200, scope: 'service:read' })
    expect(await service.apiStatus(narrow.access_token, 'DELETE')).toBe(403)
    expect((await service.refresh(narrow.refresh_token)).scope).toBe('service:read service:write')

    const reading = await service.exchangeCode(await service.authorizationCode({ scope: 'service:read' }))
    expect(reading.scope).toBe('service:read')
    for (const scope of ['service:read service:write', 'admin']) {
      expect(await service.refresh(reading.refresh_token, { scope })).toMatchObject({
        error: 'invalid_scope',
      })
    }
    expect((await service.refresh(reading.refresh_token)).status).toBe(200)
  })

  it('revokes the family with either token, and responds 200 to an unknown token', async () => {
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const tokens = await service.exchangeCode(await service.authorizationCode())
      expect((await service.post('/oauth/revoke', { token: tokens[kind] })).status).toBe(200)
      expect(await service.apiStatus(tokens.access_token)).toBe(401)
      expect(await service.refresh(tokens.refresh_token)).toMatchObject(invalidGrant)
      expect((await service.post('/oauth/revoke', { token: tokens[kind] })).status).toBe(200)
    }
    const unknown = { token: 'tt_unknown', token_type_hint: 'access_token' }
    expect((await service.post('/oauth/revoke', unknown)).status).toBe(200)
    const { access_token } = await service.exchangeCode(await service.authorizationCode())
    for (const [token, client_secret] of [
      ['tt_unknown', 'wrong'],
      [access_token, access_token],
    ] as const)
      expect(await service.post('/oauth/revoke', { token, client_secret })).toMatchObject({
        ...{ status: 401, error: 'invalid_client' },
      })
  })

  it('accepts, refreshes and revokes tokens of earlier releases, which contain no time', async () => {
    const { queries } = service.storage
    const generate = (prefix: string) => {
      const token = `${prefix}_${randomBytes(32).toString('base64url')}`
      return { token, hash: createHash('sha256').update(token).digest('hex') }
    }
    const issue = async () => {
      const [code, access, refresh] = [generate('ttc'), generate('tt'), generate('ttr')]
      await queries.all(sql`delete from grants`)
      await service.authorizationCode()
      await queries.all(sql`update authorization_codes set hash = ${code.hash}`)
      expect((await service.exchangeCode(code.token)).status).toBe(200)
      await queries.all(sql`update tokens set hash = ${access.hash}`)
      await queries.all(sql`update refresh_tokens set hash = ${refresh.hash}`)
      return { access: access.token, refresh: refresh.token }
    }

    const earlier = await issue()
    expect(await service.apiStatus(earlier.access)).toBe(200)
    const replacement = await service.refresh(earlier.refresh)
    expect(replacement.status).toBe(200)
    expect(await service.apiStatus(replacement.access_token)).toBe(200)
    expect(await service.refresh(earlier.refresh)).toMatchObject(invalidGrant)
    for (const kind of ['access', 'refresh'] as const) {
      const tokens = await issue()
      expect(await service.apiStatus(tokens.access)).toBe(200)
      expect((await service.post('/oauth/revoke', { token: tokens[kind] })).status).toBe(200)
      expect(await service.apiStatus(tokens.access)).toBe(401)
      expect(await service.refresh(tokens.refresh)).toMatchObject(invalidGrant)
    }
  })

  it('revokes once: the time stays, and the audit log has one record', async () => {
    const { refresh_token: token } = await service.exchangeCode(await service.authorizationCode())
    const { queries } = service.storage
    const readState = async () => [
      await queries.all<{ id: number; revoked_at: number }>(sql`select id, revoked_at from grants`),
      await queries.all<{ id: number }>(sql`select id from audit_log`),
    ]
    await service.post('/oauth/revoke', { token })
    const revoked = await readState()
    expect(revoked[0]).toEqual([{ id: expect.any(Number), revoked_at: service.now().getTime() }])
    service.advanceClock(1000)
    expect((await service.post('/oauth/revoke', { token })).status).toBe(200)
    await revokeIssuedTokens(service.storage, [`g${revoked[0]?.[0]?.id}`], service.now)
    expect(await readState()).toEqual(revoked)
  })

  it('rejects a code of a deactivated user for good', async () => {
    const code = await service.authorizationCode()
    const { storage, now } = service
    for (const change of [administration.deactivateUser, administration.activateUser]) {
      await change(storage, 'ada@example.com', now)
      expect(await service.exchangeCode(code)).toMatchObject(invalidGrant)
    }
  })

  it('ends all tokens with the application', async () => {
    const tokens = await service.exchangeCode(await service.authorizationCode())
    await removeApplication(service.storage, service.client.client_id)
    expect(await service.apiStatus(tokens.access_token)).toBe(401)
    expect(await service.refresh(tokens.refresh_token)).toMatchObject({ error: 'invalid_client' })
  })

  it('deletes only expired records', async () => {
    const old = await service.exchangeCode(await service.authorizationCode())
    service.advanceClock(2 * 60 * minute)
    const refreshed = await service.refresh(old.refresh_token)
    service.advanceClock(89 * day)
    expect((await service.refresh(refreshed.refresh_token)).status).toBe(200)
    service.advanceClock(91 * day)
    await deleteExpired(service.storage, service.now().getTime(), {
      ...{ sizes: { least: 1, most: 1, batches: 1 }, pause: async () => {} },
    })
    for (const table of ['grants', 'refresh_tokens', 'tokens', 'authorization_codes', 'sessions'])
      expect(await service.storage.queries.all(sql`select * from ${identifier(table)}`), table).toEqual([])
  })
})

describe('a client of the token endpoint', () => {
  const database = useDatabase(temporarySqlite)
  let service: OAuthTestService
  beforeAll(async () => {
    service = await createOAuthTestService(database.storage)
  })

  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  })
  const inHeader = { client_id: null, client_secret: null }
  const refreshFields = { grant_type: 'refresh_token', refresh_token: 'unknown' }
  const knownClient = { status: 400, error: 'invalid_grant' }
  const unknownClient = { status: 401, error: 'invalid_client' }

  it('authenticates in the body or by HTTP Basic, not both', async () => {
    const { client_id, client_secret } = service.client
    expect(await service.post('/oauth/token', refreshFields)).toMatchObject(knownClient)
    const header = basic(client_id, client_secret)
    for (const fields of [inHeader, { client_secret: null }])
      expect(await service.post('/oauth/token', { ...refreshFields, ...fields }, header)).toMatchObject(
        knownClient,
      )
    for (const both of [{}, { client_secret: null, client_id: 'another' }]) {
      const response = await service.post('/oauth/token', { ...refreshFields, ...both }, header)
      expect(response).toMatchObject({ status: 400, error: 'invalid_request' })
    }
  })

  it.each([
    [
      'one of the same length',
      (secret: string) => secret.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
    ['an empty secret', () => ''],
    ['a secret with a NUL', () => 'a\0b'],
  ])('is rejected with %s', async (_, change) => {
    const wrong = change(service.client.client_secret)
    const inBody = await service.post('/oauth/token', { ...refreshFields, client_secret: wrong })
    const header = basic(service.client.client_id, wrong)
    const byBasic = await service.post('/oauth/token', { ...refreshFields, ...inHeader }, header)
    for (const response of [inBody, byBasic]) {
      expect(response).toMatchObject(unknownClient)
      expect(response.headers.get('WWW-Authenticate')).toContain('Basic')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
    }
  })

  it.each([
    ['an unknown id', { client_id: 'app_unknown' }, {}],
    ['an id with a NUL', { client_id: 'a\0b' }, {}],
    ['no id', { client_id: null }, {}],
    ['no secret', { client_secret: null }, {}],
    ['another scheme', inHeader, { Authorization: 'Bearer abc' }],
    ['credentials that are not base64', inHeader, { Authorization: 'Basic ***' }],
    ['credentials without a colon', inHeader, { Authorization: 'Basic YWJj' }],
  ])('is rejected with %s', async (_, fields, headers: Record<string, string>) => {
    expect(await service.post('/oauth/token', { ...refreshFields, ...fields }, headers)).toMatchObject(
      unknownClient,
    )
  })

  const redemption = {
    grant_type: 'authorization_code',
    code: 'x',
    code_verifier: verifier,
    redirect_uri: 'x',
  }

  it.each([
    ['no grant type', { grant_type: null }, 'invalid_request'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no refresh token', { refresh_token: null }, 'invalid_request'],
    ['no code', { ...redemption, code: null }, 'invalid_request'],
    ['no redirect URI', { ...redemption, redirect_uri: null }, 'invalid_request'],
    ['an unknown refresh token', {}, 'invalid_grant'],
  ])('receives an error description: %s', async (_, fields, error) => {
    const response = await service.post('/oauth/token', { ...refreshFields, ...fields })
    expect(response).toMatchObject({ status: 400, error, error_description: expect.any(String) })
    expect(response.headers.get('Content-Type')).toContain('application/json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
  })

  it('sends each parameter once, form-encoded, with POST', async () => {
    const send = async (method: string, body: string | null, type = 'application/x-www-form-urlencoded') => {
      const headers = { 'Content-Type': type }
      const response = await service.send(
        new Request('http://127.0.0.1:8320/oauth/token', { method, body, headers }),
      )
      return [response.status, ((await response.json()) as { error: string }).error]
    }
    expect(await send('POST', 'grant_type=a&grant_type=b&client_id=x&client_secret=y')).toEqual([
      401,
      'invalid_client',
    ])
    expect(await send('POST', 'client_id=x&client_id=y')).toEqual([400, 'invalid_request'])
    expect(await send('POST', '{}', 'application/json')).toEqual([400, 'invalid_request'])
    expect(await send('POST', 'x'.repeat(1024 * 1024 + 1))).toEqual([413, 'invalid_request'])
    expect(await send('GET', null)).toEqual([405, 'method_not_allowed'])
  })
})
