import { describe, expect, it } from 'vitest'
import { clientAddress, networkOf, parseTrustedProxies } from '../../../../src/service/http/client-address.js'

const find = (proxies: string | undefined, remote: string, forwarded: string | null) =>
  clientAddress(forwarded, remote, proxies === undefined ? undefined : parseTrustedProxies(proxies))

describe('clientAddress', () => {
  it.each<[proxies: string | undefined, remote: string, forwarded: string | null, client: string]>([
    [undefined, '10.0.0.1', '192.0.2.1', '10.0.0.1'],
    [undefined, '::ffff:10.0.0.1', null, '10.0.0.1'],
    ['1', '10.0.0.1', null, '10.0.0.1'],
    ['1', '10.0.0.1', '198.51.100.9, 192.0.2.1', '192.0.2.1'],
    ['2', '10.0.0.1', '198.51.100.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['3', '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['10.0.0.0/8', '10.0.0.1', '198.51.100.9, 192.0.2.1, 10.0.0.2,10.0.0.3', '192.0.2.1'],
    ['10.0.0.0/8', '192.0.2.7', '198.51.100.9', '192.0.2.7'],
    ['10.0.0.1', '10.0.0.1', '198.51.100.9, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.0/8,fd00::/8', 'fd00::1', '2001:db8::5, 10.1.2.3', '2001:db8::5'],
    ['::1', '::1', '192.0.2.1', '192.0.2.1'],
    ['127.0.0.0/8', '::ffff:127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
    ['1', '10.0.0.1', '192.0.2.1:50123', '192.0.2.1'],
    ['1', '10.0.0.1', '[2001:db8::1]:50123', '2001:db8::1'],
    ['1', '10.0.0.1', '[2001:DB8:0::1]', '2001:db8::1'],
    ['1', '10.0.0.1', 'fe80::1%eth0', 'fe80::1'],
  ])('with the proxies %j, from %s, with %j, is %s', (proxies, remote, forwarded, client) => {
    expect(find(proxies, remote, forwarded)).toBe(client)
  })

  it.each(['unknown', '300.1.1.1', '0300.0.2.1', '3221225985', '192.0.2.1:x', '[192.0.2.1', '::g'])(
    'ignores the entry %j and everything to its left, which the client may have written',
    (garbage) => {
      expect(find('1', '10.0.0.1', `198.51.100.9, ${garbage}`)).toBe('10.0.0.1')
      expect(find('10.0.0.0/8', '10.0.0.1', `198.51.100.9, ${garbage}, 10.0.0.2`)).toBe('10.0.0.2')
      expect(find('1', '10.0.0.1', `${garbage}, 192.0.2.1`)).toBe('192.0.2.1')
    },
  )

  it('is empty for a connection without an address', () => {
    expect(clientAddress('192.0.2.1', undefined, { count: 1 })).toBe('')
  })
})

it.each([
  '0',
  '21',
  '',
  'x',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0/8',
  'fd00::/129',
  '10.0.0.0/8/8',
  '1,x',
  '10.0.0.1,',
])('parseTrustedProxies rejects %j', (text) => {
  expect(() => parseTrustedProxies(text)).toThrow(expect.objectContaining({ code: 'usage' }))
})

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2::1', networkOf('2001:0db8:1:2:ffff::9')],
  ['', ''],
])('networkOf %j is %j', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
