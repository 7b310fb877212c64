import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../../../src/api-client/auth/account.js'
import type { Credentials } from '../../../../src/api-client/auth/credentials/credentials.js'
import { SignInEndedError } from '../../../../src/api-client/auth/session.js'
import { createHttp } from '../../../../src/api-client/http/client.js'
import { pathsFor } from '../../../../src/config/paths.js'
import { selectProfile } from '../../../../src/config/profile.js'
import { readProfiles, type StoredProfile, saveProfile } from '../../../../src/config/profiles.js'
import { rejectionOf } from '../test-server.js'
import {
  type FakeService,
  now,
  type Reply,
  type SessionSetup,
  secondsFromNow,
  setUpSession,
  startFakeService,
  testCredentials,
} from './session-fixtures.js'

interface SignedInSetup extends SessionSetup {
  /** Opens the account from the stored state, as another process does. */
  open(): Promise<Account>
  get(account: Account): Promise<number>
  /** Returns the names of all profiles and of all credential files. */
  storedNames(): { profiles: string[]; secrets: string[] }
}

async function signedIn(
  service: FakeService,
  credentials: Credentials = testCredentials,
  settings: Partial<StoredProfile> = {},
): Promise<SignedInSetup> {
  const setup = await setUpSession(service, credentials)
  const paths = pathsFor({ TT_HOME: setup.home })
  await saveProfile(paths, 'acme', {
    base_url: `${service.origin}/api/v1`,
    auth_url: service.origin,
    client_id: 'client-id',
    method: credentials.method,
    storage: 'file',
    ...settings,
  })
  return {
    ...setup,
    async open() {
      const { signIn } = selectProfile({ TT_HOME: setup.home })
      if (!signIn) throw new Error('Not signed in.')
      return openAccount(signIn, { paths, clock: () => now, userAgent: 'tt/test', isAttended: false })
    },
    async get({ connection }) {
      return (await createHttp({ ...connection, userAgent: 'tt/test' }).request('GET', '/companies')).status
    },
    storedNames: () => ({
      profiles: Object.keys(readProfiles(paths).profiles),
      secrets: readdirSync(join(setup.home, 'credentials')),
    }),
  }
}

const nothing = { profiles: [], secrets: [] }

/** Delays the responses to token requests until `release` is called; `requested` resolves at the first one. */
function delayTokenResponse(service: FakeService): { requested: Promise<void>; release(): void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const { onToken } = service
  const requested = new Promise<void>((resolve) => {
    service.onToken = async (form, number) => {
      resolve()
      await released
      return onToken(form, number)
    }
  })
  return { requested, release: () => release() }
}

describe('credentials bound to a URL', () => {
  test.each([
    ['base_url', 'https://other.example/api/v1'],
    ['auth_url', 'https://other.example'],
  ])('are neither sent nor revoked when the profile has another %s', async (field, address) => {
    const service = await startFakeService()
    service.validTokens.add('access-0')
    const place = await signedIn(service, { ...testCredentials, expires_at: null, [field]: address })
    const account = await place.open()
    expect(await rejectionOf(place.get(account))).toMatchObject({
      code: 'unauthenticated',
      nextStep: { action: 'sign_in', profile: 'acme' },
    })
    expect(await account.credentials()).toBeUndefined()
    expect(await account.signOut()).toEqual({ isRevoked: false })
    expect([service.apiRequests.length, service.tokenRequests.length]).toEqual([0, 0])
    expect(place.storedNames()).toEqual(nothing)
  })

  test('are used when the profile has the same URLs', async () => {
    const service = await startFakeService()
    service.validTokens.add('access-0')
    const addresses = { base_url: `${service.origin}/api/v1`, auth_url: service.origin }
    const place = await signedIn(service, { ...testCredentials, ...addresses, expires_at: null })
    expect(await place.get(await place.open())).toBe(200)
  })
})

test('the error for a token that stays rejected suggests a new sign-in', async () => {
  const service = await startFakeService()
  service.onToken = () => ({ json: { access_token: 'no-better' } })
  const place = await signedIn(service, { ...testCredentials, expires_at: null })
  expect(await rejectionOf(place.get(await place.open()))).toMatchObject({
    code: 'unauthenticated',
    status: 401,
    nextStep: { action: 'sign_in', profile: 'acme' },
  })
})

describe('during a refresh by another process', () => {
  test('signing out waits, and the refresh stores nothing afterwards', async () => {
    const service = await startFakeService()
    const place = await signedIn(service)
    const { requested, release } = delayTokenResponse(service)
    const refreshing = place.get(await place.open())
    await requested
    const events: string[] = []
    const signedOut = (await place.open()).signOut().then(() => events.push('signed out'))
    // A sign-out that does not wait would end within this time, and the refresh would write after it.
    await Promise.race([signedOut, pause(200)])
    release()
    expect(await refreshing.finally(() => events.push('refreshed'))).toBe(200)
    await signedOut
    expect(events).toEqual(['refreshed', 'signed out'])
    expect(place.storedNames()).toEqual(nothing)
  })

  test('a session neither overwrites nor refreshes an earlier sign-in', async () => {
    const service = await startFakeService()
    service.validTokens.add('newer')
    const place = await signedIn(service, { ...testCredentials, expires_at: null })
    const account = await place.open()
    expect(await account.connection.token()).toBe('access-0')
    const signedInAgain = {
      ...testCredentials,
      access_token: 'newer',
      refresh_token: 'newest',
      expires_at: null,
    }
    await place.store.write(signedInAgain)
    expect(await place.get(account)).toBe(200)
    expect(service.tokenRequests).toHaveLength(0)
    expect(place.stored()).toEqual(signedInAgain)
  })

  test('a session does not undo an earlier sign-out', async () => {
    const service = await startFakeService()
    const place = await signedIn(service, { ...testCredentials, expires_at: secondsFromNow(3600) })
    const account = await place.open()
    await account.connection.token()
    await (await place.open()).signOut()
    expect(await rejectionOf(place.get(account))).toMatchObject({ code: 'unauthenticated' })
    expect([service.tokenRequests.length, place.storedNames()]).toEqual([0, nothing])
  })
})

describe('signing out of a service without metadata', () => {
  test('revokes the tokens at the usual path', async () => {
    const service = await startFakeService()
    service.onRevoke = () => ({ json: {} })
    const place = await signedIn(service)
    expect(await (await place.open()).signOut()).toEqual({ isRevoked: true })
    expect(service.revocations.map((form) => Object.fromEntries(form))).toEqual([
      {
        token: 'refresh-0',
        token_type_hint: 'refresh_token',
        client_id: 'client-id',
        client_secret: 'client-secret',
      },
    ])
    expect(place.storedNames()).toEqual(nothing)
  })

  test.each<[string, Reply, object]>([
    ['404', { status: 404, text: '' }, { isRevoked: false, isRemaining: true }],
    ['404 with a page', { status: 404, text: '<html>' }, { isRevoked: false, isRemaining: true }],
    ['a page served at every path', { text: '<!doctype html>' }, { isRevoked: false, isRemaining: true }],
    [
      'a rejected client',
      { status: 403, json: { error: 'unauthorized_client' } },
      { isRevoked: false, error: {} },
    ],
    ['503', { status: 503, text: '' }, { isRevoked: false, error: {}, isOutcomeUnknown: true }],
    ['a lost connection', undefined, { isRevoked: false, error: {}, isOutcomeUnknown: true }],
  ])('does not claim that the tokens are revoked after %s', async (_, reply, expected) => {
    const service = await startFakeService()
    service.onRevoke = () => reply
    const place = await signedIn(service)
    const outcome = await (await place.open()).signOut()
    expect(outcome).toMatchObject(expected)
    expect(Object.keys(outcome).sort()).toEqual(Object.keys(expected).sort())
    expect(place.storedNames()).toEqual(nothing)
  })
})

test('a profile without a client ID cannot refresh, and its requests to sign in name the next step', async () => {
  const service = await startFakeService()
  const place = await signedIn(service, testCredentials, { client_id: '' })
  const failure = await rejectionOf(
    place.open().then(({ connection }) => connection.refreshToken?.('access-0')),
  )
  expect(failure).toBeInstanceOf(SignInEndedError)
  expect(failure).toMatchObject({
    message: 'The profile "acme" has no client ID.',
    nextStep: { action: 'sign_in', profile: 'acme' },
  })
  expect(place.stored()).toMatchObject({ access_token: 'access-0', refresh_token: 'refresh-0' })
  expect(await (await place.open()).signOut()).toMatchObject({ isRevoked: false, error: failure })
  expect(place.storedNames()).toEqual(nothing)
})

describe('signing out', () => {
  test('revokes a legacy key without an application', async () => {
    const service = await startFakeService()
    service.validTokens.add('the-key')
    service.onRevoke = () => {
      service.validTokens.delete('the-key')
      return { json: {} }
    }
    const place = await signedIn(service, { method: 'key', key: 'the-key' })
    expect(await (await place.open()).signOut()).toEqual({ isRevoked: true, isKey: true })
    expect(service.revocations.map((form) => Object.fromEntries(form))).toEqual([
      { token: 'the-key', token_type_hint: 'access_token' },
    ])
    expect(place.storedNames()).toEqual(nothing)
  })

  test.each<[string, Reply, object]>([
    ['404', { status: 404, text: '' }, { isRemaining: true }],
    ['a page served at every path', { text: '<!doctype html>' }, { isRemaining: true }],
    ['a required application', { status: 401, json: { error: 'invalid_client' } }, { isRemaining: true }],
    ['403', { status: 403, json: { error: 'unauthorized_client' } }, { isRemaining: true }],
    ['a success for unknown tokens', { json: {} }, { isRemaining: true }],
    ['429', { status: 429, text: '' }, { error: {} }],
    ['503', { status: 503, text: '' }, { error: {}, isOutcomeUnknown: true }],
    ['a lost connection', undefined, { error: {}, isOutcomeUnknown: true }],
  ])('does not claim that a legacy key is revoked after %s', async (_, reply, expected) => {
    const service = await startFakeService()
    service.validTokens.add('the-key')
    service.onRevoke = () => reply
    const place = await signedIn(service, { method: 'key', key: 'the-key' })
    const outcome = await (await place.open()).signOut()
    const all = { isRevoked: false, isKey: true, ...expected }
    expect(outcome).toMatchObject(all)
    expect(Object.keys(outcome).sort()).toEqual(Object.keys(all).sort())
    expect(place.storedNames()).toEqual(nothing)
  })

  test('sends no request for an expired sign-in', async () => {
    const service = await startFakeService()
    const place = await signedIn(service, { ...testCredentials, access_token: '', refresh_token: null })
    expect(await (await place.open()).signOut()).toEqual({ isRevoked: false })
    expect(place.storedNames()).toEqual(nothing)
  })

  test('removes the credentials of an unreachable service and damaged credentials', async () => {
    const service = await startFakeService()
    const gone = await signedIn(service, testCredentials, { auth_url: 'http://127.0.0.1:1' })
    expect(await (await gone.open()).signOut()).toMatchObject({
      isRevoked: false,
      error: { code: 'unreachable' },
    })
    expect(gone.storedNames()).toEqual(nothing)
    const damaged = await signedIn(service, { method: 'oauth' } as Credentials)
    expect(await (await damaged.open()).signOut()).toMatchObject({ error: { code: 'failure' } })
    expect(damaged.storedNames()).toEqual(nothing)
  })
})
