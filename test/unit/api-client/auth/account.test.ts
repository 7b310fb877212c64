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
import { now, type Reply, secondsFromNow, setUpSession, testCredentials } from './session-fixtures.js'

async function signedIn(
  credentials: Parameters<typeof setUpSession>[0] = {},
  settings: Partial<StoredProfile> = {},
) {
  const setup = await setUpSession(credentials)
  const paths = pathsFor({ TT_HOME: setup.home })
  const { origin: auth_url } = setup.service
  const base_url = `${auth_url}/api/v1`
  const { method = 'oauth' } = credentials
  const profile = {
    base_url,
    auth_url,
    client_id: 'client-id',
    method,
    storage: 'file',
    ...settings,
  } as const
  await saveProfile(paths, 'acme', profile)
  /** Opens the account from the stored state, as another process does. */
  async function open() {
    const { signIn } = selectProfile({ TT_HOME: setup.home })
    if (!signIn) throw new Error('Not signed in.')
    return openAccount(signIn, { paths, clock: () => now, userAgent: 'tt/test', isAttended: false })
  }
  /** Returns the names of all profiles and of all credential files. */
  const storedNames = () => ({
    profiles: Object.keys(readProfiles(paths).profiles),
    secrets: readdirSync(join(setup.home, 'credentials')),
  })
  return {
    ...setup,
    open,
    async get({ connection }: Account) {
      return (await createHttp({ ...connection, userAgent: 'tt/test' }).request('GET', '/companies')).status
    },
    storedNames,
    /** Signs out in another process; nothing may be stored afterwards. */
    async signOut() {
      const outcome = await (await open()).signOut()
      expect(storedNames()).toEqual(nothing)
      return outcome
    },
  }
}

const nothing = { profiles: [], secrets: [] }

const nextStep = { action: 'sign_in', profile: 'acme' }

test.each([
  ['base_url', 'https://other.example/api/v1'],
  ['auth_url', 'https://other.example'],
])('credentials are neither sent nor revoked when the profile has another %s', async (field, address) => {
  const place = await signedIn({ expires_at: null, [field]: address })
  place.service.validTokens.add('access-0')
  const account = await place.open()
  expect(await rejectionOf(place.get(account))).toMatchObject({ code: 'unauthenticated', nextStep })
  expect(await account.credentials()).toBeUndefined()
  expect(await place.signOut()).toEqual({ isRevoked: false })
  expect([place.service.apiRequests.length, place.service.tokenRequests.length]).toEqual([0, 0])
})

test('the error for a token that stays rejected suggests a new sign-in', async () => {
  const place = await signedIn({ expires_at: null })
  place.service.onToken = () => ({ json: { access_token: 'no-better' } })
  const failure = await rejectionOf(place.get(await place.open()))
  expect(failure).toMatchObject({ code: 'unauthenticated', status: 401, nextStep })
  expect([place.service.tokenRequests.length, place.service.apiRequests.length]).toEqual([1, 2])
})

describe('during a refresh by another process', () => {
  test('signing out waits, and the refresh stores nothing afterwards', { tags: 'slow' }, async () => {
    const place = await signedIn()
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { service } = place
    const { onToken } = service
    service.onToken = (form, number) => released.then(() => onToken(form, number))
    const refreshing = place.get(await place.open())
    await expect.poll(() => service.tokenRequests.length).toBe(1)
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
    const place = await signedIn({ expires_at: null })
    place.service.validTokens.add('newer')
    const account = await place.open()
    expect(await account.connection.token()).toBe('access-0')
    const tokens = { access_token: 'newer', refresh_token: 'newest', expires_at: null }
    await place.store.write({ ...testCredentials, ...tokens })
    expect(await place.get(account)).toBe(200)
    expect(place.service.tokenRequests).toHaveLength(0)
    expect(place.stored()).toEqual({ ...testCredentials, ...tokens })
  })

  test('a session does not undo an earlier sign-out', async () => {
    const place = await signedIn({ expires_at: secondsFromNow(3600) })
    const account = await place.open()
    await account.connection.token()
    await place.signOut()
    expect(await rejectionOf(place.get(account))).toMatchObject({ code: 'unauthenticated' })
    expect([place.service.tokenRequests.length, place.storedNames()]).toEqual([0, nothing])
  })
})

const key = { method: 'key', key: 'the-key' } as const

describe('signing out of a service without metadata', () => {
  test('revokes the tokens at the usual path', async () => {
    const { service, signOut } = await signedIn()
    service.onRevoke = () => ({ json: {} })
    expect(await signOut()).toEqual({ isRevoked: true })
    expect(service.revocations.map((form) => Object.fromEntries(form))).toEqual([
      {
        token: 'refresh-0',
        token_type_hint: 'refresh_token',
        client_id: 'client-id',
        client_secret: 'client-secret',
      },
    ])
  })

  test('revokes a legacy key without an application', async () => {
    const { service, signOut } = await signedIn(key)
    service.validTokens.add('the-key')
    service.onRevoke = () => {
      service.validTokens.delete('the-key')
      return { json: {} }
    }
    expect(await signOut()).toEqual({ isRevoked: true, isKey: true })
    expect(service.revocations.map((form) => Object.fromEntries(form))).toEqual([
      { token: 'the-key', token_type_hint: 'access_token' },
    ])
  })

  const remains = { isRemaining: true }
  const failed = { error: expect.anything() }
  const unknown = { ...failed, isOutcomeUnknown: true }
  const rejected: Reply = { status: 403, json: { error: 'unauthorized_client' } }

  test.each<[string, Reply, object, object]>([
    ['404', { status: 404, text: '' }, remains, remains],
    ['a page served at every path', { text: '<!doctype html>' }, remains, remains],
    ['a rejected client', rejected, failed, remains],
    ['429', { status: 429, text: '' }, failed, failed],
    ['503', { status: 503, text: '' }, unknown, unknown],
    ['a lost connection', undefined, unknown, unknown],
  ])('does not claim that tokens or a legacy key are revoked after %s', async (_, reply, ofTokens, ofKey) => {
    for (const [credentials, expected] of [
      [testCredentials, ofTokens],
      [key, { isKey: true, ...ofKey }],
    ] as const) {
      const { service, signOut } = await signedIn(credentials)
      service.validTokens.add('the-key')
      service.onRevoke = () => reply
      expect(await signOut()).toStrictEqual({ isRevoked: false, ...expected })
    }
  })

  test('does not claim that a legacy key is revoked when the service still accepts it', async () => {
    const { service, signOut } = await signedIn(key)
    service.validTokens.add('the-key')
    service.onRevoke = () => ({ json: {} })
    expect(await signOut()).toEqual({ isRevoked: false, isKey: true, isRemaining: true })
  })
})

test('a profile without a client ID cannot refresh, and its requests to sign in name the next step', async () => {
  const place = await signedIn({}, { client_id: '' })
  const { connection } = await place.open()
  const failure = await rejectionOf(Promise.resolve(connection.refreshToken?.('access-0')))
  expect(failure).toBeInstanceOf(SignInEndedError)
  expect(failure).toMatchObject({ message: 'The profile "acme" has no client ID.', nextStep })
  expect(place.stored()).toMatchObject({ access_token: 'access-0', refresh_token: 'refresh-0' })
  expect(await place.signOut()).toMatchObject({ isRevoked: false, error: failure })
})

describe('signing out', () => {
  test('sends no request for an expired sign-in', async () => {
    const { signOut } = await signedIn({ access_token: '', refresh_token: null })
    expect(await signOut()).toEqual({ isRevoked: false })
  })

  test('removes the credentials of an unreachable service and damaged credentials', async () => {
    const gone = await signedIn({}, { auth_url: 'http://127.0.0.1:1' })
    expect(await gone.signOut()).toMatchObject({ isRevoked: false, error: { code: 'unreachable' } })
    const damaged = await signedIn()
    await damaged.store.write({ method: 'oauth' } as Credentials)
    expect(await damaged.signOut()).toMatchObject({ error: { code: 'failure' } })
  })
})
