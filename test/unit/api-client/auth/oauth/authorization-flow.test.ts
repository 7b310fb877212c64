import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { authorizationUrl, authorize } from '../../../../../src/api-client/auth/oauth/authorization-flow.js'
import { TtError } from '../../../../../src/lib/errors.js'
import { rejectionOf } from '../../test-server.js'
import { silentDialog, startAuthorization } from './sign-in-fixtures.js'

test('the challenge belongs to the verifier that the exchange receives', async () => {
  const issuer = 'https://example.com'
  const { outcome, parameters, callbackUrl } = await startAuthorization({ issuer, supportsIss: true })
  expect(parameters.get('code_challenge_method')).toBe('S256')
  await fetch(callbackUrl({ code: 'the-code', iss: issuer }))
  const { verifier } = await outcome
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(parameters.get('code_challenge'))
  expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/)
})

test('state, challenge and verifier are new at each sign-in, and the verifier is not shown', async () => {
  const runs = await Promise.all([startAuthorization(), startAuthorization()])
  for (const name of ['state', 'code_challenge']) {
    expect(new Set(runs.map(({ parameters }) => parameters.get(name))).size).toBe(2)
  }
  for (const { callbackUrl, outcome, instructions, parameters } of runs) {
    await fetch(callbackUrl())
    const { verifier } = await outcome
    expect(JSON.stringify(instructions)).not.toContain(verifier)
    expect(parameters.get('state')).not.toBe(verifier)
  }
})

test('shows the address before it opens the browser, and Ctrl-C ends the wait', async () => {
  const events: string[] = []
  const controller = new AbortController()
  const request = {
    clientId: 'tt-client',
    scope: 'service:read',
    signal: controller.signal,
    timeoutMs: 60_000,
  }
  const authorizationEndpoint = 'https://example.com/oauth/authorize'
  const dialog = {
    ...silentDialog,
    showInstructions: ({ url }: { url: string }) => void events.push(`shown ${url}`),
    async openBrowser(url: string) {
      events.push(`opened ${url}`)
      setImmediate(() => controller.abort())
    },
  }
  const end = await rejectionOf(authorize({ ...request, authorizationEndpoint, dialog }, async () => 'done'))
  expect(end.code).toBe('interrupted')
  const [shown = '', opened] = events
  expect(shown).toMatch(/^shown https:/)
  expect(opened).toBe(shown.replace('shown', 'opened'))
})

test('reports that the browser cannot be opened, and continues to wait', async () => {
  const error = new TtError('failure', 'No browser could be opened (none).')
  const openBrowser = () => Promise.reject(error)
  const { browserErrors, callbackUrl, outcome } = await startAuthorization({ openBrowser })
  await expect.poll(() => browserErrors).toEqual([error])
  await fetch(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('a browser that never reports its start does not delay the sign-in', async () => {
  const { callbackUrl, outcome } = await startAuthorization({ openBrowser: () => new Promise(() => {}) })
  await fetch(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('a response of another issuer ends the sign-in, and its code is not exchanged', async () => {
  const codes: string[] = []
  const { outcome, callbackUrl } = await startAuthorization(
    { issuer: 'https://example.com' },
    async ({ code }) => codes.push(code),
  )
  const page = await fetch(callbackUrl({ code: 'the-code', iss: 'https://evil.example' }))
  expect(await page.text()).toContain('Not signed in')
  expect(await rejectionOf(outcome)).toMatchObject({ code: 'rejected' })
  expect(codes).toEqual([])
})

test('a response without the issuer that the metadata announces ends the sign-in', async () => {
  const issuer = 'https://example.com'
  const { outcome, callbackUrl } = await startAuthorization({ issuer, supportsIss: true })
  await fetch(callbackUrl())
  expect((await rejectionOf(outcome)).message).toContain('does not name its issuer')
})

const request = {
  clientId: 'tt+client',
  redirectUri: 'http://127.0.0.1:4711/callback',
  scope: 'service:read service:write',
  state: 'the-state',
  challenge: 'the-challenge',
}

test('the address contains exactly the parameters of step 1 of the service document', () => {
  const text = authorizationUrl('https://example.com/oauth/authorize', request)
  expect(text).toContain('scope=service%3Aread%20service%3Awrite')
  expect(text).toContain('client_id=tt%2Bclient')
  const url = new URL(text)
  expect(`${url.origin}${url.pathname}`).toBe('https://example.com/oauth/authorize')
  expect([...url.searchParams]).toEqual([
    ['client_id', 'tt+client'],
    ['redirect_uri', 'http://127.0.0.1:4711/callback'],
    ['response_type', 'code'],
    ['scope', 'service:read service:write'],
    ['state', 'the-state'],
    ['code_challenge', 'the-challenge'],
    ['code_challenge_method', 'S256'],
  ])
})

test('preserves the query of the endpoint and removes its fragment', () => {
  const url = authorizationUrl('https://example.com/authorize?tenant=a%20b#top', request)
  expect(url).toMatch(/^https:\/\/example\.com\/authorize\?tenant=a%20b&client_id=/)
  expect(url).not.toContain('#')
})
