import { createServer } from 'node:http'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { failureOf } from '../../api/loopback.js'
import { begin, exchangeBytes, listens, requestFor } from './sign-in-fixtures.js'

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createPlainServer()
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('without a registered redirect URI the answer arrives at /callback on a free port of 127.0.0.1', async () => {
  const [first, second] = await Promise.all([begin(), begin()])
  expect(first.landing.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  expect(second.landing.port).not.toBe(first.landing.port)
  const page = await fetch(first.back())
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('Signed in')
  expect(await first.outcome).toMatchObject({ code: 'the-code', redirectUri: first.landing.href })
  expect(await listens(first.landing)).toBe(false)
})

test('nobody listens at another address of this machine', async () => {
  const { landing } = await begin()
  const others = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))
    .filter((address) => address !== '127.0.0.1')
  for (const address of others) {
    expect(await listens(new URL(`http://${address}:${landing.port}`)), address).toBe(false)
  }
})

test.each([
  ['http://127.0.0.1/signed-in', '127.0.0.1', '/signed-in'],
  ['http://127.0.0.1', '127.0.0.1', '/'],
])('the registered redirect URI %s gets a free port', async (redirectUri, host, path) => {
  const { landing, outcome, asked, back } = await begin({ redirectUri })
  expect(landing).toMatchObject({ hostname: host, pathname: path, port: expect.stringMatching(/\d/) })
  expect(asked.get('redirect_uri')).toBe(redirectUri.replace('127.0.0.1', `127.0.0.1:${landing.port}`))
  await fetch(back())
  expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: asked.get('redirect_uri') })
})

test('a registered redirect URI with a port is taken exactly', async () => {
  const redirectUri = `http://127.0.0.1:${await freePort()}/oauth/done/`
  const { outcome, asked, back } = await begin({ redirectUri })
  expect(asked.get('redirect_uri')).toBe(redirectUri)
  await fetch(back())
  expect(await outcome).toMatchObject({ redirectUri })
})

test('[::1] is listened at where it is registered', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no ::1')
  const { outcome, landing, back } = await begin({ redirectUri: 'http://[::1]/cb' })
  expect(landing.hostname).toBe('[::1]')
  expect((await fetch(back())).status).toBe(200)
  expect(await outcome).toMatchObject({ code: 'the-code' })
})

test('localhost is listened at by both of its addresses', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no ::1')
  const port = await freePort()
  for (const address of ['127.0.0.1', '[::1]']) {
    const { outcome, back } = await begin({ redirectUri: `http://localhost:${port}/cb` })
    const answer = await exchangeBytes(new URL(`http://${address}:${port}`), requestFor(back()))
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(await outcome).toMatchObject({ code: 'the-code', redirectUri: `http://localhost:${port}/cb` })
    for (const each of ['127.0.0.1', '[::1]']) {
      expect(await listens(new URL(`http://${each}:${port}`))).toBe(false)
    }
  }
})

test('a port that another program has is refused in words, and nothing is said or opened', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const opened: string[] = []
  const failure = await failureOf(
    begin({
      redirectUri: `http://127.0.0.1:${port}/cb`,
      openBrowser: async (url) => void opened.push(url),
    }),
  )
  expect(failure.code).toBe('failure')
  expect(failure.message).toContain(`Another program listens on port ${port} of 127.0.0.1`)
  expect(failure.hint).toContain('--redirect-uri')
  expect(opened).toEqual([])
})

test('a port that another program has at one address of localhost is refused', async ({ skip }) => {
  skip(!hasIpv6, 'this machine has no ::1')
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '::1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  expect((await failureOf(begin({ redirectUri: `http://localhost:${port}/cb` }))).message).toContain(
    `port ${port} of ::1`,
  )
  expect(await listens(new URL(`http://127.0.0.1:${port}`))).toBe(false)
})

test('a second listener cannot share the port while the wait goes on', async () => {
  const { landing } = await begin()
  const other = createPlainServer()
  const failure = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
    other.on('error', resolve)
    other.listen({ port: Number(landing.port), host: '127.0.0.1', exclusive: false }, () =>
      reject(new Error('It listens too.')),
    )
  })
  expect(failure.code).toBe('EADDRINUSE')
})
