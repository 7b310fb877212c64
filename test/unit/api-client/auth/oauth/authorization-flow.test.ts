import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { authorizationUrl, authorize } from '../../../../../src/api-client/auth/oauth/authorization-flow.js'
import { TtError } from '../../../../../src/lib/errors.js'
import { bundleScript } from '../../../../support/bundle-script.js'
import { findFreePort, isListening } from '../../../../support/ports.js'
import { rejectionOf } from '../../test-server.js'
import { pastingTerminal, silentDialog, silentTerminal, startAuthorization } from './sign-in-fixtures.js'

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

const application = {
  clientId: 'tt-client',
  scope: 'service:read',
  authorizationEndpoint: 'https://example.com/oauth/authorize',
  timeoutMs: 60_000,
}

test('shows the address before it opens the browser, and Ctrl-C ends the wait', async () => {
  const events: string[] = []
  const controller = new AbortController()
  const dialog = {
    ...silentDialog,
    showInstructions: ({ url }: { url: string }) => void events.push(`shown ${url}`),
    async openBrowser(url: string) {
      events.push(`opened ${url}`)
      setImmediate(() => controller.abort())
    },
  }
  const signIn = authorize({ ...application, dialog, signal: controller.signal }, async () => 'done')
  const end = await rejectionOf(signIn)
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

test('prompts again until the pasted address is valid, and reports each problem', async () => {
  const { paste, promptForUrl } = pastingTerminal()
  const { outcome, pasteProblems, callbackUrl, redirectUri } = await startAuthorization({ promptForUrl })
  for (const [text, problem] of [
    ['the-code', 'It is not a URL.'],
    [callbackUrl({ code: 'the-code', state: 'wrong' }), 'It belongs to another sign-in'],
  ] as const) {
    const count = pasteProblems.length
    paste(text)
    await expect.poll(() => pasteProblems.length).toBe(count + 1)
    expect(pasteProblems.at(-1)).toContain(problem)
    expect(pasteProblems.at(-1)).not.toContain('the-code')
  }
  paste(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: redirectUri.href })
  expect(await isListening(redirectUri)).toBe(false)
})

test('a pasted denial ends the sign-in as in the browser', async () => {
  const { paste, promptForUrl } = pastingTerminal()
  const { outcome, callbackUrl } = await startAuthorization({ promptForUrl })
  paste(new URL(callbackUrl({ error: 'access_denied' })).search)
  expect(await rejectionOf(outcome)).toMatchObject({ code: 'unauthenticated' })
})

test('the response of the browser closes the prompt in the terminal before the exchange', async () => {
  const { prompts, promptForUrl } = silentTerminal()
  const { outcome, callbackUrl } = await startAuthorization({ promptForUrl }, async () =>
    prompts.map(({ aborted }) => aborted),
  )
  await fetch(callbackUrl())
  expect(await outcome).toEqual([true])
})

test.each(['https://example.com/cb', 'urn:ietf:wg:oauth:2.0:oob'])(
  'prompts for the address with the redirect URI %s',
  async (redirectUri) => {
    const { paste, promptForUrl } = pastingTerminal()
    const { outcome, parameters, instructions } = await startAuthorization({ redirectUri, promptForUrl })
    expect(instructions).toMatchObject({ redirectUri, hasCallbackServer: false })
    paste(`code=the-code&state=${parameters.get('state')}`)
    expect(await outcome).toMatchObject({ code: 'the-code', redirectUri })
  },
)

test('an error of the prompt ends the sign-in', async () => {
  const gone = new TtError('interrupted', 'Gone.')
  const { outcome, redirectUri } = await startAuthorization({ promptForUrl: () => Promise.reject(gone) })
  await expect(outcome).rejects.toBe(gone)
  expect(await isListening(redirectUri)).toBe(false)
})

test('the timeout is reported with a next step, and closes the callback server', async () => {
  const { prompts, promptForUrl } = silentTerminal()
  const { outcome, redirectUri } = await startAuthorization({ timeoutMs: 50, promptForUrl })
  const failure = await rejectionOf(outcome)
  expect(failure).toMatchObject({
    code: 'unauthenticated',
    nextStep: { action: 'sign_in_with_other_browser' },
  })
  expect(failure.message).toBe('The sign-in was not completed within 0.05 s.')
  expect(await isListening(redirectUri)).toBe(false)
  expect(prompts[0]?.aborted).toBe(true)
})

test('the timeout does not limit the exchange', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { outcome, callbackUrl } = await startAuthorization({ timeoutMs: 1_000 }, async () => {
    await vi.advanceTimersByTimeAsync(1_100)
    return 'done'
  })
  await fetch(callbackUrl())
  expect(await outcome).toBe('done')
})

test('Ctrl-C during the exchange shows in the browser that the sign-in was not completed', async () => {
  const { outcome, redirectUri, callbackUrl, interrupt } = await startAuthorization({}, () => {
    interrupt()
    return new Promise<never>(() => {})
  })
  const page = await fetch(callbackUrl())
  expect(await page.text()).toContain('Interrupted. The sign-in was not completed.')
  expect(await rejectionOf(outcome)).toMatchObject({ code: 'interrupted' })
  expect(await isListening(redirectUri)).toBe(false)
})

test('a sign-in that is interrupted before it starts shows nothing', async () => {
  const shown: unknown[] = []
  const dialog = { ...silentDialog, showInstructions: (value: unknown) => void shown.push(value) }
  const signIn = authorize({ ...application, dialog, signal: AbortSignal.abort() }, async () => 'done')
  expect(await rejectionOf(signIn)).toMatchObject({ code: 'interrupted' })
  expect(shown).toEqual([])
})

test('an invalid authorization endpoint closes the callback server', async () => {
  const redirectUri = `http://127.0.0.1:${await findFreePort()}/cb`
  await expect(startAuthorization({ redirectUri, authorizationEndpoint: 'nonsense' })).rejects.toThrow()
  expect(await isListening(new URL(redirectUri))).toBe(false)
})

const program = `
import { authorize } from './src/api-client/auth/oauth/authorization-flow.ts'
authorize({
  clientId: 'c', scope: 's', authorizationEndpoint: 'https://example.com/', signal: new AbortController().signal,
  timeoutMs: Number(process.env.LIMIT_MS),
  dialog: {
    showInstructions() {}, hintText: () => undefined,
    openBrowser: async (url) => process.stdout.write(url),
    promptForUrl: () => new Promise(() => {}),
  },
}, async ({ code }) => code).then((code) => process.stdout.write(code), (error) => process.stdout.write(error.code))
`

test.each([
  ['the browser has returned', true, '60000', 'the-code'],
  ['the timeout has passed', false, '200', 'unauthenticated'],
])(
  'the process exits once %s, despite open connections',
  { tags: 'slow' },
  async (_, returns, limit, last) => {
    const child = spawn(process.execPath, [await bundleScript(program)], { env: { LIMIT_MS: limit } })
    let written = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      written += chunk
    })
    const ended = once(child, 'exit')
    await expect.poll(() => written).toContain('redirect_uri')
    const parameters = new URL(written).searchParams
    const callback = new URL(parameters.get('redirect_uri') ?? '')
    const idle = connect(Number(callback.port), callback.hostname)
    idle.on('error', () => {})
    if (returns) {
      callback.search = `code=the-code&state=${parameters.get('state')}`
      expect((await fetch(callback)).status).toBe(200)
    }
    expect(await ended).toEqual([0, null])
    expect(written.slice(-last.length)).toBe(last)
  },
)
