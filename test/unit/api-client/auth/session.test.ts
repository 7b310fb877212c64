import { describe, expect, test } from 'vitest'
import type { CredentialStore } from '../../../../src/api-client/auth/credentials/credentials.js'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf } from '../test-server.js'
import { now, type Reply, secondsFromNow, setUpSession, testCredentials } from './session-fixtures.js'

const refreshed = {
  ...testCredentials,
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at: secondsFromNow(7200),
}
const expired = { expires_at: secondsFromNow(-1) }
const invalidGrant: Reply = { status: 400, json: { error: 'invalid_grant' } }

describe('before a token expires', () => {
  test.each([
    [61, 0],
    [60, 1],
  ])('with %d seconds left, the session sends %d refreshes before the request', async (left, refreshes) => {
    const { service, get } = await setUpSession({ expires_at: secondsFromNow(left) }, 'access-0')
    await get()
    expect(service.tokenRequests).toHaveLength(refreshes)
    expect(service.apiRequests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer access-${refreshes}`,
    ])
  })

  test.each([
    ['that skips the refresh', expired, { skipsRefresh: true }],
    ['with a token without a known expiry', { expires_at: null }, {}],
  ])('a request %s uses the stored token until it is rejected', async (_, credentials, options) => {
    const { service, get, stored } = await setUpSession(credentials, 'access-0')
    await get(options)
    expect(service.tokenRequests).toHaveLength(0)
    service.validTokens.delete('access-0')
    await get(options)
    expect(service.tokenRequests).toHaveLength(1)
    expect(stored()).toEqual(refreshed)
  })

  test('the session sends the documented refresh request and stores the whole response', async () => {
    const { service, get, stored } = await setUpSession()
    await get()
    expect(service.tokenRequests.map(Object.fromEntries)).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: 'refresh-0',
        client_id: 'client-id',
        client_secret: 'client-secret',
      },
    ])
    expect(stored()).toEqual(refreshed)
  })

  test('the session keeps the values that the response omits', async () => {
    const { service, get, stored } = await setUpSession({}, 'another')
    service.onToken = () => ({ json: { access_token: 'another' } })
    await get()
    expect(stored()).toEqual({ ...testCredentials, access_token: 'another', expires_at: null })
  })

  test('the session does not refresh tokens of less than a minute at each request', async () => {
    const { service, openHttp } = await setUpSession({}, 'short')
    service.onToken = () => ({ json: { access_token: 'short', refresh_token: 'next', expires_in: 30 } })
    const http = openHttp()
    for (let i = 0; i < 3; i++) await http.request('GET', '/companies')
    expect(service.tokenRequests).toHaveLength(1)
  })

  test('the session refreshes once with a clock that is behind or ahead', async () => {
    for (const hours of [-3, 3]) {
      const tokens = hours > 0 ? ['access-0'] : []
      const { service, get } = await setUpSession({ expires_at: secondsFromNow(1800) }, ...tokens)
      const clock = () => new Date(now.getTime() + hours * 3_600_000)
      for (let i = 0; i < 3; i++) await get({ clock })
      expect({ hours, refreshes: service.tokenRequests.length }).toEqual({ hours, refreshes: 1 })
    }
  })
})

test.each([
  ['is not changed as a legacy key', { method: 'key', key: 'the-key' } as const],
  ['is not changed without a refresh token', { ...testCredentials, refresh_token: null }],
])('a rejected token %s', async (_, credentials) => {
  const { service, get, stored } = await setUpSession(credentials)
  expect(await rejectionOf(get())).toMatchObject({ code: 'unauthenticated', status: 401 })
  expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([0, 1])
  expect(stored()).toEqual(credentials)
})

describe('a failed refresh', () => {
  test('is repeated with the same refresh token after a lost response', async () => {
    const { service, get, stored } = await setUpSession()
    const grantTokens = service.onToken
    service.onToken = (form, number) => {
      const response = grantTokens(form, number)
      return number === 1 ? undefined : response
    }
    await get()
    expect(service.tokenRequests.map((form) => form.get('refresh_token'))).toEqual(['refresh-0', 'refresh-0'])
    expect(stored()).toMatchObject({ access_token: 'access-2', refresh_token: 'refresh-2' })
  })

  test.each([
    ['no response', undefined, 2],
    ['a gateway timeout', { status: 504, text: '' }, 2],
    ['an unavailable service', { status: 503, text: '' }, 1],
    ['too many requests', { status: 429, text: '' }, 1],
  ])('keeps the credentials after %s, and the next command tries again', async (_, reply, requests) => {
    const { service, get, stored } = await setUpSession(expired)
    const grantTokens = service.onToken
    service.onToken = () => reply
    expect(await rejectionOf(get())).toMatchObject({ code: 'unreachable' })
    expect(service.tokenRequests).toHaveLength(requests)
    expect(stored()).toEqual({ ...testCredentials, ...expired })
    service.onToken = grantTokens
    expect(await get()).toBe(200)
  })

  test('does not prevent a request with a token that is still valid', async () => {
    const { service, get, stored } = await setUpSession({}, 'access-0')
    service.onToken = () => ({ status: 503, text: '' })
    expect(await get()).toBe(200)
    expect(stored()).toEqual(testCredentials)
  })

  test('removes the tokens and keeps the client secret after a rejected refresh token', async () => {
    const { service, get, stored } = await setUpSession()
    service.onToken = () => invalidGrant
    for (let command = 1; command <= 2; command++) {
      expect(await rejectionOf(get())).toMatchObject({
        code: 'unauthenticated',
        message: 'The sign-in of the profile "acme" has ended.',
        nextStep: { action: 'sign_in', profile: 'acme' },
      })
    }
    expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([1, 0])
    const removed = { access_token: '', refresh_token: null, expires_at: null }
    expect(stored()).toEqual({ ...testCredentials, ...removed })
  })

  test.each([
    ['a rejected client', { status: 401, json: { error: 'invalid_client' } }, 'unauthenticated'],
    ['a page of a proxy', { status: 403, text: '<html>Blocked</html>' }, 'rejected'],
    ['a page instead of tokens', { text: '<html>Maintenance</html>' }, 'rejected'],
  ])('deletes nothing after %s', async (_, reply, code) => {
    const { service, get, stored } = await setUpSession()
    service.onToken = () => reply
    expect(await rejectionOf(get())).toMatchObject({ code })
    expect(stored()).toEqual(testCredentials)
  })
})

describe('concurrent requests', () => {
  test('of one process share one refresh, early or after a 401', async () => {
    for (const expires_at of [secondsFromNow(-1), null]) {
      const { service, openHttp } = await setUpSession({ expires_at })
      const http = openHttp()
      const all = Array.from({ length: 8 }, () => http.request('GET', '/companies'))
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(service.tokenRequests).toHaveLength(1)
    }
  })

  test('of several processes share one refresh', async () => {
    const { service, get } = await setUpSession()
    const statuses = await Promise.all(Array.from({ length: 8 }, () => get()))
    expect(statuses).toEqual(Array(8).fill(200))
    expect(service.tokenRequests).toHaveLength(1)
  })

  test('send an expired refresh token once, and all fail as unauthenticated', async () => {
    const { service, get } = await setUpSession()
    service.onToken = () => invalidGrant
    const failures = await Promise.all(Array.from({ length: 4 }, () => rejectionOf(get())))
    expect(failures.map(({ code }) => code)).toEqual(Array(4).fill('unauthenticated'))
    expect(service.tokenRequests).toHaveLength(1)
  })
})

describe('a credential store that cannot be written', () => {
  /** Returns a store that fails from one write, counted from 1, to another. */
  function failing(store: CredentialStore, from: number, to = Number.POSITIVE_INFINITY): CredentialStore {
    let writes = 0
    return {
      ...store,
      async write(credentials) {
        writes += 1
        if (writes >= from && writes <= to) throw new TtError('failure', 'The disk is full.')
        await store.write(credentials)
      },
    }
  }

  test('fails before the refresh token is sent', async () => {
    const { service, get, store } = await setUpSession()
    const failure = await rejectionOf(get({ store: failing(store, 1) }))
    expect(failure.message).toBe('The disk is full.')
    expect(service.tokenRequests).toHaveLength(0)
  })

  test('fails after the refresh, and the unused new token leaves the old refresh token valid', async () => {
    const { service, get, store, stored } = await setUpSession()
    expect(await rejectionOf(get({ store: failing(store, 2) }))).toMatchObject({
      code: 'failure',
      message: `Cannot store the refreshed sign-in of the profile "acme" in ${store.location}. The disk is full.`,
      nextStep: { action: 'sign_in', profile: 'acme' },
    })
    expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([1, 0])
    expect(stored()).toEqual(testCredentials)
  })

  test('is retried after a temporary error', async () => {
    const { get, store, stored } = await setUpSession()
    await get({ store: failing(store, 2, 2) })
    expect(stored()).toEqual(refreshed)
  })
})
