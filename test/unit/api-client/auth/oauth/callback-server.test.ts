import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import {
  alreadyUsedPage,
  failedPage,
  readRedirectUri,
  requestLimits,
  signedInPage,
  startCallbackServer,
  unexpectedRequestPage,
} from '../../../../../src/api-client/auth/oauth/callback-server.js'
import { hintText } from '../../../../../src/cli/next-step-text.js'
import { TtError } from '../../../../../src/lib/errors.js'
import { findFreePort, isListening, listenOnFreePort } from '../../../../support/ports.js'
import { rejectionOf } from '../../test-server.js'
import { requestFor, sendRaw, startAuthorization } from './sign-in-fixtures.js'

/** Invalid requests, or how they differ from the callback; QUERY and PORT stand for those of the callback. */
const invalidRequests: [string, string | Parameters<typeof requestFor>[1]][] = [
  ['no host', 'GET /callbackQUERY HTTP/1.1\r\n\r\n'],
  ['no host in HTTP/1.0', 'GET /callbackQUERY HTTP/1.0\r\n\r\n'],
  ['no HTTP', 'hello\r\n\r\n'],
  ['a HEAD', { method: 'HEAD' }],
  ['a POST', { method: 'POST' }],
  ['a favicon', { target: '/favicon.ico' }],
  ['a trailing slash', { target: '/callback/QUERY' }],
  ['a doubled slash', { target: '//callbackQUERY' }],
  ['another case', { target: '/CallbackQUERY' }],
  ['an encoded path', { target: '/%63allbackQUERY' }],
  ['a path with dots', { target: '/x/../callbackQUERY' }],
  ['an absolute target', { target: 'http://127.0.0.1:PORT/callbackQUERY' }],
  ['a rebound host', { host: 'evil.example:PORT' }],
  ['a host that looks alike', { host: '127.0.0.1.evil.example' }],
  ['localhost for 127.0.0.1', { host: 'localhost:PORT' }],
  ['a host without a port', { host: '127.0.0.1' }],
  ['an empty host', { host: '' }],
  ['a wrong state', { target: '/callback?state=wrong&code=the-code' }],
  ['big headers', { host: `127.0.0.1:PORT\r\nX: ${'x'.repeat(40_000)}` }],
  ['a big target', { target: `/callbackQUERY&x=${'x'.repeat(40_000)}` }],
]

test('shows the first response with a wrong state, and no requests for other paths', async () => {
  const { redirectUri, callbackUrl, outcome, unexpectedResponses } = await startAuthorization()
  await sendRaw(redirectUri, requestFor(callbackUrl(), { target: '/favicon.ico' }))
  for (const state of ['wrong', 'other'])
    await sendRaw(redirectUri, requestFor(callbackUrl().replace(/state=[^&]+/, `state=${state}`)))
  expect(unexpectedResponses).toEqual(['It belongs to another sign-in: its state differs.'])
  void sendRaw(redirectUri, requestFor(callbackUrl()))
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test.each(invalidRequests)(
  'rejects %s, closes its connection and continues to wait',
  async (name, request) => {
    const codes: string[] = []
    const exchange = async ({ code }: { code: string }) => codes.push(code)
    const { redirectUri, outcome, callbackUrl } = await startAuthorization({}, exchange)
    const { search, port } = new URL(callbackUrl())
    const text = typeof request === 'string' ? request : requestFor(callbackUrl(), request)
    const filled = text.replace('QUERY', search).replace('PORT', port)
    const response = await sendRaw(redirectUri, filled).catch((error) => {
      // A server that stops reading an oversized request may reset the connection.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error
      return 'HTTP/1.1 431 '
    })
    expect(response).toMatch(/^HTTP\/1\.1 (400|431) /)
    expect(response).not.toMatch(/keep-alive/i)
    if (name === 'a HEAD') expect(response.split('\r\n\r\n')[1]).toBe('')
    expect(codes).toEqual([])
    expect((await fetch(callbackUrl())).status).toBe(200)
    await outcome
    expect(codes).toEqual(['the-code'])
  },
)

test('the browser shows success only after the exchange, and a replayed callback starts no second one', async () => {
  const codes: string[] = []
  let finish: (value: string) => void = () => {}
  const exchanging = new Promise<string>((resolve) => {
    finish = resolve
  })
  const { outcome, callbackUrl, redirectUri } = await startAuthorization({}, ({ code }) => {
    codes.push(code)
    return exchanging
  })
  let shown = false
  const page = fetch(callbackUrl()).then((response) => {
    shown = true
    return response
  })
  await expect.poll(() => codes).toEqual(['the-code'])
  for (const code of ['the-code', 'another']) {
    const replay = await fetch(callbackUrl({ code }))
    expect(replay.status).toBe(410)
    expect(await replay.text()).toContain('Already used')
  }
  expect(shown).toBe(false)
  finish('the result')
  expect(await outcome).toBe('the result')
  expect((await page).status).toBe(200)
  expect(codes).toEqual(['the-code'])
  expect(await isListening(redirectUri)).toBe(false)
})

test('a failed exchange rejects the sign-in, and the browser shows its error', async () => {
  const wrong = new TtError('rejected', 'The code was used before.', { hint: 'Sign in again.' })
  const { outcome, callbackUrl, redirectUri } = await startAuthorization({}, () => Promise.reject(wrong))
  const html = await (await fetch(callbackUrl())).text()
  for (const text of ['The code was used before.', 'Sign in again.']) expect(html).toContain(text)
  await expect(outcome).rejects.toBe(wrong)
  expect(await isListening(redirectUri)).toBe(false)
})

test('the browser does not show the message of an unexpected error', async () => {
  const { outcome, callbackUrl } = await startAuthorization({}, () =>
    Promise.reject(new Error('secret-in-a-bug')),
  )
  expect(await (await fetch(callbackUrl())).text()).not.toContain('secret-in-a-bug')
  await expect(outcome).rejects.toThrow('secret-in-a-bug')
})

test('idle, slow and incomplete connections close with the sign-in', async () => {
  const { outcome, redirectUri, callbackUrl } = await startAuthorization()
  const sockets = ['', 'GET /callback HT', requestFor(callbackUrl()).slice(0, -2)].map((text) => {
    const socket = connect(Number(redirectUri.port), '127.0.0.1')
    const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    const sent = new Promise<void>((resolve) =>
      socket.on('connect', () => socket.write(text, () => resolve())),
    )
    socket.on('error', () => {})
    return { ended, sent }
  })
  await Promise.all(sockets.map(({ sent }) => sent))
  expect((await fetch(callbackUrl())).status).toBe(200)
  await outcome
  await Promise.all(sockets.map(({ ended }) => ended))
})

test('endless headers close their connection during the wait', async () => {
  expect(requestLimits).toMatchObject({ headersTimeout: 5_000, connectionsCheckingInterval: 1_000 })
  const limits = { ...requestLimits, headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 }
  const read = () => ({ code: 'the-code' })
  const server = await startCallbackServer(readRedirectUri(undefined), read, undefined, limits)
  onTestFinished(() => server.close(signedInPage()))
  const socket = connect(Number(new URL(server.redirectUri).port), '127.0.0.1')
  const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 10)
  onTestFinished(() => clearInterval(drip))
  socket.on('error', () => {})
  socket.write('GET /callback HTTP/1.1\r\nHost: x\r\n')
  socket.resume()
  await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  expect(await isListening(new URL(server.redirectUri))).toBe(true)
})

test('a browser that disconnects during the exchange does not affect it', async () => {
  const { outcome, redirectUri, callbackUrl } = await startAuthorization({}, async () => {
    socket.destroy()
    await closed
    return 'done'
  })
  const socket = connect(Number(redirectUri.port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(requestFor(callbackUrl()))
  expect(await outcome).toBe('done')
})

test('every response forbids caching, framing, sniffing, referrers and external resources', async () => {
  const { callbackUrl } = await startAuthorization()
  for (const url of [callbackUrl({ state: 'wrong', code: 'x' }), callbackUrl()]) {
    const { headers } = await fetch(url)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(/^default-src 'none';/),
      connection: 'close',
    })
    expect(headers.has('access-control-allow-origin')).toBe(false)
  }
})

test.each([
  [undefined, ['127.0.0.1'], 0, 'http://127.0.0.1:4711/callback'],
  ['http://127.0.0.1/cb', ['127.0.0.1'], 0, 'http://127.0.0.1:4711/cb'],
  ['http://127.0.0.1', ['127.0.0.1'], 0, 'http://127.0.0.1:4711'],
  ['http://127.0.0.1?a=b', ['127.0.0.1'], 0, 'http://127.0.0.1:4711?a=b'],
  ['http://127.0.0.1:80/cb', ['127.0.0.1'], 80, 'http://127.0.0.1:80/cb'],
  ['http://[::1]/cb/', ['::1'], 0, 'http://[::1]:4711/cb/'],
  ['http://localhost/cb', ['127.0.0.1', '::1'], 80, 'http://localhost/cb'],
  ['HTTP://LocalHost:8123/cb', ['127.0.0.1', '::1'], 8123, 'HTTP://LocalHost:8123/cb'],
  ['https://127.0.0.1/cb', [], 0, 'https://127.0.0.1/cb'],
  ['urn:ietf:wg:oauth:2.0:oob', [], 0, 'urn:ietf:wg:oauth:2.0:oob'],
])('for the redirect URI %s, listens at %j, port %i, and sends %s', (text, hosts, port, sent) => {
  const redirect = readRedirectUri(text)
  expect(redirect).toMatchObject({ hosts, port })
  expect(redirect.withPort(4711)).toBe(sent)
})

test.each([
  ['callback', 'is not a redirect URI'],
  ['http://127.0.0.1/c b', 'is not a redirect URI'],
  ['http://127.0.0.1/cb\n', 'is not a redirect URI'],
  ['http://127.0.0.1/cb#top', 'has a fragment'],
  ['http://127.0.0.1.example.com/cb', 'neither encrypted nor on this machine'],
  ['http://127.0.0.1@example.com/cb', 'neither encrypted nor on this machine'],
  ['http://127.0.0.1:0/cb', 'neither encrypted nor on this machine'],
])('rejects the redirect URI %j: it %s', (text, reason) => {
  expect(() => readRedirectUri(text)).toThrow(TtError)
  expect(() => readRedirectUri(text)).toThrow(reason)
})

const pages = [
  ['success', signedInPage()],
  ['failure', failedPage(new TtError('rejected', 'No.', { hint: 'Try again.' }), ({ hint }) => hint)],
  ['unexpected request', unexpectedRequestPage('It has no state.')],
  ['repeated', alreadyUsedPage()],
] as const

test.each(pages)(
  'the %s page is a complete document without external resources, scripts or forms',
  (_, { html }) => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toMatch(/<title>[^<]+ – tt<\/title>/)
    for (const part of ['<main>', '<h1>', '<div role="']) expect(html.split(part)).toHaveLength(2)
    expect(html).toContain('width=device-width')
    expect(html).toContain('terminal')
    expect(html).not.toMatch(/<script|<form|<img|<iframe|\son\w+=|url\(|@import|https?:/i)
    expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to]) => to)).toEqual(['data:,'])
  },
)

test.each(pages)(
  'the content security policy of the %s page allows only its own style and no frame',
  (_, { html, headers }) => {
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toContain(`default-src 'none'; style-src 'sha256-${hash}';`)
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/)
    expect(html).not.toContain('style="')
  },
)

test('the failure page shows message and hint, escaped, and a command as code', () => {
  const failure = new TtError('rejected', `<b>"'&`)
  const { html, status } = failedPage(failure, () => '<i> Run `tt login --scope "<x>"` again.')
  expect(status).toBe(200)
  expect(html).toContain('<p>&lt;b&gt;&quot;&#39;&amp;</p>')
  const command = '<code>tt login --scope &quot;&lt;x&gt;&quot;</code>'
  expect(html).toContain(`<p>&lt;i&gt; Run ${command} again.</p>`)
})

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
