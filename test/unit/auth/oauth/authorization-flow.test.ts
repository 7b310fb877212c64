import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { authorize } from '../../../../src/auth/oauth/authorization-flow.js'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf } from '../../api/test-server.js'
import { isListening, startAuthorization } from './sign-in-fixtures.js'

test('the challenge belongs to the verifier that the exchange receives', async () => {
  const { outcome, parameters, callbackUrl } = await startAuthorization()
  expect(parameters.get('code_challenge_method')).toBe('S256')
  await fetch(callbackUrl())
  const { verifier } = await outcome
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(parameters.get('code_challenge'))
  expect(verifier).toMatch(/^[A-Za-z0-9._~-]{43,128}$/)
})

test('state, challenge and verifier are new at each sign-in, and the verifier is not printed', async () => {
  const runs = await Promise.all([startAuthorization(), startAuthorization()])
  for (const name of ['state', 'code_challenge']) {
    expect(new Set(runs.map(({ parameters }) => parameters.get(name))).size).toBe(2)
  }
  for (const { callbackUrl, outcome, output, parameters } of runs) {
    await fetch(callbackUrl())
    const { verifier } = await outcome
    expect(output.join()).not.toContain(verifier)
    expect(parameters.get('state')).not.toBe(verifier)
  }
})

test('prints the address before it opens the browser', async () => {
  const events: string[] = []
  const controller = new AbortController()
  const outcome = authorize(
    {
      clientId: 'tt-client',
      scope: 'service:read',
      authorizationEndpoint: 'https://example.com/oauth/authorize',
      signal: controller.signal,
      timeoutMs: 60_000,
      hintOf: () => undefined,
      print: (text) => void events.push(`printed ${/https:\S+/.exec(text)?.[0]}`),
      openBrowser: async (url) => {
        events.push(`opened ${url}`)
        controller.abort()
      },
    },
    async () => 'done',
  )
  await rejectionOf(outcome)
  const [printed = '', , opened] = events
  expect(printed).toMatch(/^printed https:/)
  expect(opened).toBe(printed.replace('printed', 'opened'))
})

test('the waiting message lists what to check if the browser shows an error', async () => {
  const { output, redirectUri } = await startAuthorization()
  const words = output.join('\n')
  expect(words).toContain(`return to ${redirectUri.href}\n(at most 1 minute; press Ctrl-C to cancel)`)
  expect(words).toMatch(/shows an error and does not return/)
  expect(words).toMatch(/client ID +tt-client/)
  expect(words).toMatch(/redirect URI +http:\/\/127\.0\.0\.1\/callback \(with any port\)/)
  expect(words).toMatch(/scopes +service:read service:write/)
  expect(words).not.toContain('paste')
})

test('reports that the browser cannot be opened, and continues to wait', async () => {
  const { output, callbackUrl, outcome } = await startAuthorization({
    openBrowser: () => Promise.reject(new TtError('failure', 'No browser could be opened (none).')),
  })
  await expect
    .poll(() => output.at(-1))
    .toBe('No browser could be opened (none). Open the address above yourself.')
  await fetch(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('a browser that never reports its start does not delay the sign-in', async () => {
  const { callbackUrl, outcome } = await startAuthorization({
    openBrowser: () => new Promise(() => {}),
  })
  await fetch(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('denied consent is unauthenticated, with a next step', async () => {
  const { outcome, callbackUrl, redirectUri } = await startAuthorization()
  const page = await (await fetch(callbackUrl({ error: 'access_denied' }))).text()
  const failure = await rejectionOf(outcome)
  expect(failure).toMatchObject({ code: 'unauthenticated', nextStep: { action: 'sign_in' } })
  expect(failure.message).toContain('denied')
  expect(page).toContain('Access was denied in the browser.')
  expect(await isListening(redirectUri)).toBe(false)
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
  const { outcome, callbackUrl } = await startAuthorization({
    issuer: 'https://example.com',
    supportsIss: true,
  })
  await fetch(callbackUrl())
  expect((await rejectionOf(outcome)).message).toContain('does not name its issuer')
})

test('accepts the right issuer', async () => {
  const { outcome, callbackUrl } = await startAuthorization({
    issuer: 'https://example.com',
    supportsIss: true,
  })
  await fetch(callbackUrl({ code: 'the-code', iss: 'https://example.com' }))
  expect(await outcome).toMatchObject({ code: 'the-code' })
})
