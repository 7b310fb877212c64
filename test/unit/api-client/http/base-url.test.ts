import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkLoopbackName, displayUrl, readBaseUrl } from '../../../../src/api-client/http/base-url.js'
import { bundleScript } from '../../../support/bundle-script.js'
import { run, temporaryDirectory } from '../../../support/process.js'
import { rejectionOf } from '../test-server.js'

test.each([
  ['https://example.com/api/v1/', 'https://example.com/api/v1'],
  ['https://example.com', 'https://example.com'],
  ['http://localhost:3000/api/v1', 'http://localhost:3000/api/v1'],
  ['http://tt.localhost/api/v1', 'http://tt.localhost/api/v1'],
  ['http://127.8.9.1/api/v1', 'http://127.8.9.1/api/v1'],
  ['http://[::1]:80/api/v1', 'http://[::1]/api/v1'],
])('normalizes the base URL %s to %s', (text, expected) => {
  expect(displayUrl(readBaseUrl(text))).toBe(expected)
})

test.each([
  ['example.com/api/v1', 'is not the address of a service'],
  ['ftp://example.com/api/v1', 'is not the address of a service'],
  ['https://me:word@example.com/api/v1', 'has a user name'],
  ['https://example.com/api/v1?key=1', 'a query'],
  ['http://example.com/api/v1', 'is not encrypted'],
  ['http://127.0.0.1.example.com/api/v1', 'is not encrypted'],
  ['http://localhost.example.com/api/v1', 'is not encrypted'],
])('the base URL "%s" is a usage error: %s', (text, message) => {
  expect(() => readBaseUrl(text)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
  )
})

test('accepts an unencrypted URL only when insecure HTTP is allowed', () => {
  expect(displayUrl(readBaseUrl('http://example.com/api/v1', true))).toBe('http://example.com/api/v1')
})

const canMount = spawnSync('unshare', ['-m', 'true']).status === 0

test.for<[string, string[], string]>([
  ['127.0.0.1', [], 'unreachable'],
  ['192.0.2.7', [], 'usage office.localhost resolves to 192.0.2.7, which is not a loopback address.'],
  ['192.0.2.7', ['insecure'], 'unreachable'],
])(
  'http: to *.localhost at %s %j ends with %s',
  { tags: 'slow' },
  async ([address, flags, expected], { skip }) => {
    skip(!canMount, 'this user may not mount a hosts file')
    // Needs permission to mount a hosts file of its own. No process listens on the port.
    const hosts = join(temporaryDirectory(), 'hosts')
    writeFileSync(hosts, `${address} office.localhost\n`)
    const client = await bundleScript(`
    import { createHttp } from './src/api-client/http/client.ts'
    const insecureHttp = process.argv[2] === 'insecure'
    const http = createHttp({ baseUrl: 'http://office.localhost:9/api/v1', token: () => 'x', userAgent: 'tt', insecureHttp, timeoutMs: 2000 })
    await http.request('GET', '/companies').catch(({ code, message }) => console.log(code, message))
  `)
    const line = `mount --bind ${hosts} /etc/hosts && exec '${process.execPath}' '${client}' ${flags.join(' ')}`
    const outcome = await run('unshare', ['-m', 'sh', '-c', line])
    expect(outcome.stdout.slice(0, expected.length)).toBe(expected)
  },
)

test.each([[['127.8.9.1', '::1']], [['::ffff:127.0.0.1']]])(
  'a name below localhost that resolves to %j is accepted',
  async (addresses) => {
    const names: string[] = []
    await checkLoopbackName('http://office.localhost:9/api/v1', async (name) => {
      names.push(name)
      return addresses.map((address) => ({ address }))
    })
    expect(names).toEqual(['office.localhost'])
  },
)

test.each([
  [['127.0.0.1', '192.0.2.7'], '192.0.2.7'],
  [['::1', '2001:db8::1'], '2001:db8::1'],
  [['::ffff:192.0.2.7'], '::ffff:192.0.2.7'],
])('a name below localhost that resolves to %j is rejected', async (addresses, other) => {
  const lookup = async () => addresses.map((address) => ({ address }))
  expect(await rejectionOf(checkLoopbackName('http://office.localhost:9/api/v1', lookup))).toMatchObject({
    code: 'usage',
    message: `office.localhost resolves to ${other}, which is not a loopback address.`,
  })
})

test.each(['https://office.localhost/api/v1', 'http://localhost:9/api/v1'])(
  'the name in %s is not looked up',
  async (address) => {
    const lookup = () => Promise.reject(new Error('looked up'))
    expect(await checkLoopbackName(address, lookup)).toBeUndefined()
  },
)
