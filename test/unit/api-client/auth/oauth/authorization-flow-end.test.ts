import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  authorize,
  type SignInInstructions,
} from '../../../../../src/api-client/auth/oauth/authorization-flow.js'
import { bundleScript } from '../../../../support/bundle-script.js'
import { findFreePort, isListening } from '../../../../support/ports.js'
import { rejectionOf } from '../../test-server.js'
import { silentDialog, silentTerminal, startAuthorization } from './sign-in-fixtures.js'

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
  const dialog = { ...silentDialog, showInstructions: (value: SignInInstructions) => void shown.push(value) }
  const signal = AbortSignal.abort()
  const application = { clientId: 'tt-client', scope: 'service:read' }
  const authorizationEndpoint = 'https://example.com/oauth/authorize'
  const request = { ...application, authorizationEndpoint, signal, timeoutMs: 1_000, dialog }
  expect(await rejectionOf(authorize(request, async () => 'done'))).toMatchObject({ code: 'interrupted' })
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
