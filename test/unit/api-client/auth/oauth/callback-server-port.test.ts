import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { hintText } from '../../../../../src/cli/next-step-text.js'
import { findFreePort, isListening, listenOnFreePort } from '../../../../support/ports.js'
import { rejectionOf } from '../../test-server.js'
import { requestFor, sendRaw, startAuthorization } from './sign-in-fixtures.js'

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

test('without a registered redirect URI, the server listens at /callback on a free port of 127.0.0.1, as the instructions say', async () => {
  const [first, second] = await Promise.all([startAuthorization(), startAuthorization()])
  expect(first.redirectUri.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  expect(second.redirectUri.port).not.toBe(first.redirectUri.port)
  expect(first.instructions).toMatchObject({
    redirectUri: first.redirectUri.href,
    registeredRedirectUri: 'http://127.0.0.1/callback',
    hasCallbackServer: true,
    clientId: 'tt-client',
    scope: 'service:read service:write',
    timeoutMs: 60_000,
  })
  const page = await fetch(first.callbackUrl())
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('Signed in')
  expect(await first.outcome).toMatchObject({ code: 'the-code', redirectUri: first.redirectUri.href })
  expect(await isListening(first.redirectUri)).toBe(false)
})

test('the server does not listen at another address of this machine', async () => {
  const { redirectUri } = await startAuthorization()
  const others = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
    .filter((address) => address !== '127.0.0.1')
  for (const address of others) {
    expect(await isListening(new URL(`http://${address}:${redirectUri.port}`)), address).toBe(false)
  }
})

test.each([
  ['http://127.0.0.1/signed-in', '/signed-in'],
  ['http://127.0.0.1', '/'],
])('the registered redirect URI %s gets a free port', async (redirectUri, pathname) => {
  const run = await startAuthorization({ redirectUri })
  const { redirectUri: callback, outcome, parameters, callbackUrl } = run
  expect(callback).toMatchObject({ hostname: '127.0.0.1', pathname, port: expect.stringMatching(/\d/) })
  expect(parameters.get('redirect_uri')).toBe(redirectUri.replace('127.0.0.1', `127.0.0.1:${callback.port}`))
  await fetch(callbackUrl())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: parameters.get('redirect_uri') })
})

test('listens at [::1] when it is registered', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no ::1')
  const { outcome, redirectUri, callbackUrl } = await startAuthorization({ redirectUri: 'http://[::1]/cb' })
  expect(redirectUri.hostname).toBe('[::1]')
  expect((await fetch(callbackUrl())).status).toBe(200)
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('listens at both addresses of localhost', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no ::1')
  const port = await findFreePort()
  for (const address of ['127.0.0.1', '[::1]']) {
    const { outcome, callbackUrl } = await startAuthorization({
      redirectUri: `http://localhost:${port}/cb`,
    })
    const response = await sendRaw(new URL(`http://${address}:${port}`), requestFor(callbackUrl()))
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
    expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: `http://localhost:${port}/cb` })
    for (const each of ['127.0.0.1', '[::1]']) {
      expect(await isListening(new URL(`http://${each}:${port}`))).toBe(false)
    }
  }
})

test('reports a port that another program uses and does not open the browser', async () => {
  const other = createServer()
  const port = await listenOnFreePort(other)
  onTestFinished(() => void other.close())
  const opened: string[] = []
  const failure = await rejectionOf(
    startAuthorization({
      redirectUri: `http://127.0.0.1:${port}/cb`,
      openBrowser: async (url) => void opened.push(url),
    }),
  )
  expect(failure.code).toBe('failure')
  expect(failure.message).toContain(`Another program listens on port ${port} of 127.0.0.1`)
  expect(hintText(failure)).toContain('--redirect-uri')
  expect(opened).toEqual([])
})

test('reports a port that another program uses at one address of localhost', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no ::1')
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '::1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  expect(
    (await rejectionOf(startAuthorization({ redirectUri: `http://localhost:${port}/cb` }))).message,
  ).toContain(`port ${port} of ::1`)
  expect(await isListening(new URL(`http://127.0.0.1:${port}`))).toBe(false)
})
