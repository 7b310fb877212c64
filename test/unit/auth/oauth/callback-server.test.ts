import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf } from '../../api/test-server.js'
import { isListening, requestFor, sendRaw, startAuthorization } from './sign-in-fixtures.js'

const elsewhere = (url: string) => new URL(url).search
const strays: [string, (back: string) => string][] = [
  ['a HEAD', (back) => requestFor(back, { method: 'HEAD' })],
  ['a POST', (back) => requestFor(back, { method: 'POST' })],
  ['an OPTIONS', (back) => requestFor(back, { method: 'OPTIONS' })],
  ['a favicon', (back) => requestFor(back, { target: '/favicon.ico' })],
  ['the root', (back) => requestFor(back, { target: '/' })],
  ['a trailing slash', (back) => requestFor(back, { target: `/callback/${elsewhere(back)}` })],
  ['a doubled slash', (back) => requestFor(back, { target: `//callback${elsewhere(back)}` })],
  ['another case', (back) => requestFor(back, { target: `/Callback${elsewhere(back)}` })],
  ['an encoded path', (back) => requestFor(back, { target: `/%63allback${elsewhere(back)}` })],
  ['a path with dots', (back) => requestFor(back, { target: `/x/../callback${elsewhere(back)}` })],
  ['an absolute target', (back) => requestFor(back, { target: back })],
  ['a rebound host', (back) => requestFor(back, { host: `evil.example:${new URL(back).port}` })],
  ['a host that looks alike', (back) => requestFor(back, { host: `127.0.0.1.evil.example` })],
  ['localhost for 127.0.0.1', (back) => requestFor(back, { host: `localhost:${new URL(back).port}` })],
  ['a host without a port', (back) => requestFor(back, { host: '127.0.0.1' })],
  ['an empty host', (back) => requestFor(back, { host: '' })],
  ['no host', (back) => `GET ${new URL(back).pathname}${elsewhere(back)} HTTP/1.1\r\n\r\n`],
  ['no host in HTTP/1.0', (back) => `GET ${new URL(back).pathname}${elsewhere(back)} HTTP/1.0\r\n\r\n`],
  ['a wrong state', (back) => requestFor(back.replace(/state=[^&]+/, 'state=wrong'))],
  ['no state', (back) => requestFor(back.replace(/state=[^&]+&/, ''))],
  ['an error with a wrong state', (back) => requestFor(back.replace(/\?.*/, '?error=access_denied&state=x'))],
  ['two codes', (back) => requestFor(`${back}&code=other`)],
  ['two states', (back) => requestFor(`${back}&state=other`)],
  ['the state alone', (back) => requestFor(back.replace(/&code=.*/, ''))],
  ['no HTTP', () => 'hello\r\n\r\n'],
  ['big headers', (back) => requestFor(back).replace('\r\n\r\n', `\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)],
  ['a big target', (back) => requestFor(`${back}&x=${'x'.repeat(40_000)}`)],
]

test.each(strays)('%s is turned away, its connection ended, and the wait goes on', async (_, request) => {
  const exchanged: string[] = []
  const { redirectUri, outcome, callbackUrl } = await startAuthorization({}, async ({ code }) =>
    exchanged.push(code),
  )
  const answer = await sendRaw(redirectUri, request(callbackUrl())).catch((error: NodeJS.ErrnoException) => {
    // A server that stops to read in the middle of too much may reset the connection.
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error
    return 'HTTP/1.1 431 '
  })
  expect(answer).toMatch(/^HTTP\/1\.1 (400|431) /)
  expect(answer).not.toMatch(/keep-alive/i)
  expect(exchanged).toEqual([])
  expect((await fetch(callbackUrl())).status).toBe(200)
  await outcome
  expect(exchanged).toEqual(['the-code'])
})

test('a HEAD gets no body', async () => {
  const { redirectUri, callbackUrl } = await startAuthorization()
  const answer = await sendRaw(redirectUri, requestFor(callbackUrl(), { method: 'HEAD' }))
  expect(answer.split('\r\n\r\n')[1]).toBe('')
})

test('a request that arrives in pieces is one request', async () => {
  const { redirectUri, outcome, callbackUrl } = await startAuthorization()
  const pieces = requestFor(callbackUrl()).split(/(?=[?&\r])/)
  expect(await sendRaw(redirectUri, ...pieces)).toMatch(/^HTTP\/1\.1 200 /)
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('of two requests on one connection the second is not read', async () => {
  const { redirectUri, outcome, callbackUrl } = await startAuthorization()
  const answer = await sendRaw(
    redirectUri,
    requestFor(callbackUrl({ code: 'first' })),
    requestFor(callbackUrl({ code: 'second' })),
  )
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  expect(await outcome).toMatchObject({ code: 'first' })
})

test('the browser is shown success only after the exchange', async () => {
  let finish: (value: string) => void = () => {}
  const exchanging = new Promise<string>((resolve) => {
    finish = resolve
  })
  let begun: () => void = () => {}
  const reached = new Promise<void>((resolve) => {
    begun = resolve
  })
  const { outcome, callbackUrl } = await startAuthorization({}, () => {
    begun()
    return exchanging
  })
  let shown = false
  const page = fetch(callbackUrl()).then((response) => {
    shown = true
    return response
  })
  await reached
  const replay = await fetch(callbackUrl({ code: 'replayed' }))
  expect(replay.status).toBe(410)
  expect(await replay.text()).toContain('Already used')
  expect(shown).toBe(false)
  finish('the result')
  expect(await outcome).toBe('the result')
  expect((await page).status).toBe(200)
})

test('a replayed callback reaches the exchange no second time, and afterwards nobody at all', async () => {
  const codes: string[] = []
  let go: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const { outcome, callbackUrl, redirectUri } = await startAuthorization({}, async ({ code }) => {
    codes.push(code)
    await gate
  })
  const first = fetch(callbackUrl())
  const replays = await Promise.all(
    ['the-code', 'another'].map(async (code) => {
      while (codes.length === 0) await new Promise(setImmediate)
      return (await fetch(callbackUrl({ code }))).status
    }),
  )
  go()
  expect([(await first).status, ...replays]).toEqual([200, 410, 410])
  await outcome
  expect(codes).toEqual(['the-code'])
  expect(await isListening(redirectUri)).toBe(false)
})

test('a failed exchange is shown in the browser, escaped, and is the outcome', async () => {
  const wrong = new TtError('rejected', 'The service says <script>alert("1")</script> & more.', {
    hint: "Check the 'client secret'.",
  })
  const { outcome, callbackUrl, redirectUri } = await startAuthorization({}, () => Promise.reject(wrong))
  const page = await fetch(callbackUrl())
  const html = await page.text()
  expect(html).toContain('The service says &lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more.')
  expect(html).toContain('Check the &#39;client secret&#39;.')
  expect(html).not.toContain('<script')
  await expect(outcome).rejects.toBe(wrong)
  expect(await isListening(redirectUri)).toBe(false)
})

test('an error without words of its own shows none of its words in the browser', async () => {
  const { outcome, callbackUrl } = await startAuthorization({}, () =>
    Promise.reject(new Error('secret-in-a-bug')),
  )
  expect(await (await fetch(callbackUrl())).text()).not.toContain('secret-in-a-bug')
  await expect(outcome).rejects.toThrow('secret-in-a-bug')
})

test('markup in error_description stays text in the browser and plain in the terminal', async () => {
  const { outcome, callbackUrl } = await startAuthorization()
  const error_description = '<img src=x onerror=alert(1)>\u001b[2J"</p><h1>Paid</h1>'
  const page = await fetch(callbackUrl({ error: 'access_denied', error_description }))
  const html = await page.text()
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(html).not.toMatch(/<img|<h1>Paid/)
  expect((await rejectionOf(outcome)).message).not.toContain('\u001b')
})

test('idle, slow and half-sent connections do not outlive the sign-in', async () => {
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

test('headers that never end are cut off while the wait goes on', async () => {
  const { outcome, redirectUri, callbackUrl } = await startAuthorization()
  const socket = connect(Number(redirectUri.port), '127.0.0.1')
  const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 250)
  onTestFinished(() => clearInterval(drip))
  socket.on('error', () => {})
  socket.write('GET /callback HTTP/1.1\r\nHost: x\r\n')
  socket.resume()
  await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  expect((await fetch(callbackUrl())).status).toBe(200)
  await outcome
}, 20_000)

test('a browser that goes away during the exchange does not matter', async () => {
  let go: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const { outcome, redirectUri, callbackUrl } = await startAuthorization({}, async () => {
    socket.destroy()
    await closed
    await gate
    return 'done'
  })
  const socket = connect(Number(redirectUri.port), '127.0.0.1')
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(requestFor(callbackUrl()))
  await closed
  go()
  expect(await outcome).toBe('done')
})

test('every answer forbids caching, framing, sniffing, referrers and anything from elsewhere', async () => {
  const { callbackUrl } = await startAuthorization()
  for (const url of [callbackUrl({ state: 'wrong', code: 'x' }), callbackUrl()]) {
    const { headers } = await fetch(url)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      connection: 'close',
    })
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'$/,
    )
    expect(headers.has('access-control-allow-origin')).toBe(false)
  }
})
