import { describe, expect, test } from 'vitest'
import type { CredentialStore } from '../../../src/auth/credentials/credentials.js'
import { TtError } from '../../../src/lib/errors.js'
import { rejectionOf } from '../api/test-server.js'
import { now, secondsFromNow, setUpSession, startFakeService, testCredentials } from './session-fixtures.js'

const renewed = {
  ...testCredentials,
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at: secondsFromNow(7200),
}

describe('before the end', () => {
  test.each([
    [61, 0],
    [60, 1],
    [1, 1],
    [-3600, 1],
  ])('with %d seconds left, %d renewals come before the request', async (left, renewals) => {
    const service = await startFakeService()
    service.validTokens.add('access-0')
    const setup = await setUpSession(service, { ...testCredentials, expires_at: secondsFromNow(left) })
    await setup.openHttp().request('GET', '/companies')
    expect(service.tokenRequests).toHaveLength(renewals)
    expect(service.apiRequests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer access-${renewals}`,
    ])
  })

  test('a request that is in a hurry takes the token as it is, and has it renewed when it is refused', async () => {
    const service = await startFakeService()
    const setup = await setUpSession(service, { ...testCredentials, expires_at: secondsFromNow(-1) })
    service.validTokens.add('access-0')
    await setup.openHttp().request('GET', '/companies', { skipsRefresh: true })
    expect(service.tokenRequests).toHaveLength(0)
    service.validTokens.delete('access-0')
    await setup.openHttp().request('GET', '/companies', { skipsRefresh: true })
    expect(service.tokenRequests).toHaveLength(1)
  })

  test('the refresh token goes out as the document shows it, and what comes is kept whole', async () => {
    const service = await startFakeService()
    const setup = await setUpSession(service)
    await setup.openHttp().request('GET', '/companies')
    expect(service.tokenRequests.map(Object.fromEntries)).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: 'refresh-0',
        client_id: 'client-id',
        client_secret: 'client-secret',
      },
    ])
    expect(setup.stored()).toEqual(renewed)
  })

  test('what the answer leaves out goes on as before', async () => {
    const service = await startFakeService()
    service.validTokens.add('another')
    service.onToken = () => ({ json: { access_token: 'another' } })
    const setup = await setUpSession(service)
    await setup.openHttp().request('GET', '/companies')
    expect(setup.stored()).toEqual({ ...testCredentials, access_token: 'another', expires_at: null })
  })

  test('a token whose end nobody knows serves until it is refused', async () => {
    const service = await startFakeService()
    service.validTokens.add('access-0')
    const setup = await setUpSession(service, { ...testCredentials, expires_at: null })
    const http = setup.openHttp()
    await http.request('GET', '/companies')
    expect(service.tokenRequests).toHaveLength(0)
    service.validTokens.delete('access-0')
    await http.request('GET', '/companies')
    expect(setup.stored()).toEqual(renewed)
  })

  test('tokens that last less than a minute are not renewed at each request', async () => {
    const service = await startFakeService()
    service.validTokens.add('short')
    service.onToken = () => ({ json: { access_token: 'short', refresh_token: 'next', expires_in: 30 } })
    const http = (await setUpSession(service)).openHttp()
    for (let i = 0; i < 3; i++) await http.request('GET', '/companies')
    expect(service.tokenRequests).toHaveLength(1)
  })

  test('a clock that is behind shows in a 401, and one that is ahead renews once', async () => {
    for (const hours of [-3, 3]) {
      const service = await startFakeService()
      if (hours > 0) service.validTokens.add('access-0')
      const setup = await setUpSession(service, { ...testCredentials, expires_at: secondsFromNow(1800) })
      const clock = () => new Date(now.getTime() + hours * 3_600_000)
      for (let i = 0; i < 3; i++) await setup.openHttp({ clock }).request('GET', '/companies')
      expect({ hours, renewals: service.tokenRequests.length }).toEqual({ hours, renewals: 1 })
    }
  })
})

describe('a token that is refused', () => {
  test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    'is renewed once, and %s is sent again with its body',
    async (method) => {
      const service = await startFakeService()
      const setup = await setUpSession(service, { ...testCredentials, expires_at: secondsFromNow(3600) })
      const body = method === 'GET' || method === 'DELETE' ? undefined : { notes: 'grüße' }
      expect((await setup.openHttp().request(method, '/timesheets', { body })).status).toBe(200)
      const sent = body ? JSON.stringify(body) : ''
      expect(
        service.apiRequests.map(({ method, body, headers }) => [method, body, headers.authorization]),
      ).toEqual([
        [method, sent, 'Bearer access-0'],
        [method, sent, 'Bearer access-1'],
      ])
    },
  )

  test('is not renewed a second time', async () => {
    const service = await startFakeService()
    service.onToken = () => ({ json: { access_token: 'no-better', refresh_token: 'next' } })
    const setup = await setUpSession(service, { ...testCredentials, expires_at: null })
    const failure = await rejectionOf(setup.openHttp().request('POST', '/timesheets', { body: {} }))
    expect(failure).toMatchObject({ code: 'unauthenticated', status: 401 })
    expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([1, 2])
  })

  test.each([
    ['a legacy key', { method: 'key', key: 'the-key' } as const],
    ['a token without a refresh token', { ...testCredentials, refresh_token: null }],
  ])('%s stays what it is', async (_, credentials) => {
    const service = await startFakeService()
    const setup = await setUpSession(service, credentials)
    const failure = await rejectionOf(setup.openHttp().request('GET', '/companies'))
    expect(failure).toMatchObject({ code: 'unauthenticated', status: 401 })
    expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([0, 1])
    expect(setup.stored()).toEqual(credentials)
  })
})

describe('trouble on the way', () => {
  test('an answer that is lost is asked for again with the same refresh token', async () => {
    const service = await startFakeService()
    const handOut = service.onToken
    service.onToken = (form, number) => {
      const answer = handOut(form, number)
      return number === 1 ? undefined : answer
    }
    const setup = await setUpSession(service)
    await setup.openHttp().request('GET', '/companies')
    expect(service.tokenRequests.map((form) => form.get('refresh_token'))).toEqual(['refresh-0', 'refresh-0'])
    expect(setup.stored()).toMatchObject({ access_token: 'access-2', refresh_token: 'refresh-2' })
  })

  test.each([
    ['no answer at all', undefined, 2],
    ['a gateway without an answer', { status: 504, text: '' }, 2],
    ['a service that cannot', { status: 503, text: '' }, 1],
    ['a service that wants no more requests', { status: 429, text: '' }, 1],
  ])('%s signs nobody out: the next command tries again', async (_, reply, requests) => {
    const service = await startFakeService()
    const handOut = service.onToken
    service.onToken = () => reply
    const setup = await setUpSession(service, { ...testCredentials, expires_at: secondsFromNow(-1) })
    expect(await rejectionOf(setup.openHttp().request('GET', '/companies'))).toMatchObject({
      code: 'unreachable',
    })
    expect(service.tokenRequests).toHaveLength(requests)
    expect(setup.stored()).toEqual({ ...testCredentials, expires_at: secondsFromNow(-1) })
    service.onToken = handOut
    expect((await setup.openHttp().request('GET', '/companies')).status).toBe(200)
  })

  test('a token that is good for a moment still serves while it cannot be renewed', async () => {
    const service = await startFakeService()
    service.validTokens.add('access-0')
    service.onToken = () => ({ status: 503, text: '' })
    const setup = await setUpSession(service)
    expect((await setup.openHttp().request('GET', '/companies')).status).toBe(200)
    expect(setup.stored()).toEqual(testCredentials)
  })

  test('a refused refresh token ends the sign-in: the tokens go, the client secret stays', async () => {
    const service = await startFakeService()
    service.onToken = () => ({ status: 400, json: { error: 'invalid_grant' } })
    const setup = await setUpSession(service)
    for (let command = 1; command <= 2; command++) {
      expect(await rejectionOf(setup.openHttp().request('GET', '/companies'))).toMatchObject({
        code: 'unauthenticated',
        message: 'The sign-in of the profile "acme" has ended.',
        nextStep: { action: 'sign_in', profile: 'acme' },
      })
    }
    expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([1, 0])
    expect(setup.stored()).toEqual({
      ...testCredentials,
      access_token: '',
      refresh_token: null,
      expires_at: null,
    })
  })

  test.each([
    ['a refused client', { status: 401, json: { error: 'invalid_client' } }, 'unauthenticated'],
    ['a page of a proxy', { status: 403, text: '<html>Blocked</html>' }, 'rejected'],
    ['a page instead of tokens', { text: '<html>Maintenance</html>' }, 'rejected'],
    ['an answer without a token', { json: { expires_in: 1 } }, 'rejected'],
  ])('%s deletes nothing', async (_, reply, code) => {
    const service = await startFakeService()
    service.onToken = () => reply
    const setup = await setUpSession(service)
    expect(await rejectionOf(setup.openHttp().request('GET', '/companies'))).toMatchObject({ code })
    expect(setup.stored()).toEqual(testCredentials)
  })
})

describe('many at once', () => {
  test('requests of one process share one renewal, early or after a 401', async () => {
    for (const expires_at of [secondsFromNow(-1), null]) {
      const service = await startFakeService()
      const http = (await setUpSession(service, { ...testCredentials, expires_at })).openHttp()
      const all = Array.from({ length: 8 }, () => http.request('GET', '/companies'))
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(service.tokenRequests).toHaveLength(1)
    }
  })

  test('so do processes', async () => {
    const service = await startFakeService()
    const setup = await setUpSession(service)
    const all = Array.from({ length: 8 }, () => setup.openHttp().request('GET', '/companies'))
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(service.tokenRequests).toHaveLength(1)
  })

  test('when the sign-in has ended, the refresh token is sent once, and each is told', async () => {
    const service = await startFakeService()
    service.onToken = () => ({ status: 400, json: { error: 'invalid_grant' } })
    const setup = await setUpSession(service)
    const all = Array.from({ length: 4 }, () => rejectionOf(setup.openHttp().request('GET', '/companies')))
    expect((await Promise.all(all)).map(({ code }) => code)).toEqual(Array(4).fill('unauthenticated'))
    expect(service.tokenRequests).toHaveLength(1)
  })
})

describe('a store that cannot be written', () => {
  /** Fails from the nth write on. */
  function failing(store: CredentialStore, from: number): CredentialStore {
    let writes = 0
    return {
      ...store,
      async write(credentials) {
        writes += 1
        if (writes >= from) throw new TtError('failure', 'The disk is full.')
        await store.write(credentials)
      },
    }
  }

  test('is noticed before the refresh token is sent', async () => {
    const service = await startFakeService()
    const setup = await setUpSession(service)
    const http = setup.openHttp({ store: failing(setup.store, 1) })
    expect(await rejectionOf(http.request('GET', '/companies'))).toMatchObject({
      message: 'The disk is full.',
    })
    expect(service.tokenRequests).toHaveLength(0)
  })

  test('afterwards is told, and what was handed out is not used: the refresh token stays good', async () => {
    const service = await startFakeService()
    const setup = await setUpSession(service)
    const http = setup.openHttp({ store: failing(setup.store, 2) })
    expect(await rejectionOf(http.request('GET', '/companies'))).toMatchObject({
      code: 'failure',
      message: `Cannot store the refreshed sign-in of the profile "acme" in ${setup.store.location}. The disk is full.`,
      nextStep: { action: 'sign_in', profile: 'acme' },
    })
    expect([service.tokenRequests.length, service.apiRequests.length]).toEqual([1, 0])
    expect(setup.stored()).toEqual(testCredentials)
  })

  test('for a moment is tried again', async () => {
    const service = await startFakeService()
    const setup = await setUpSession(service)
    let writes = 0
    const store: CredentialStore = {
      ...setup.store,
      async write(credentials) {
        writes += 1
        if (writes === 2) throw new TtError('failure', 'Busy.')
        await setup.store.write(credentials)
      },
    }
    await setup.openHttp({ store }).request('GET', '/companies')
    expect(setup.stored()).toEqual(renewed)
  })
})
