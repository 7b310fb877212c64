import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { TtError } from '../../lib/errors.js'

type Address = ReturnType<typeof ipaddr.process>

/** The reverse proxies whose X-Forwarded-For is trusted: a number of them, or their networks. */
export type TrustedProxies = { count: number } | { networks: readonly [Address, number][] }

/**
 * Parses a number of proxies, or a list of addresses and networks such as `10.0.0.0/8,fd00::/8`. `name` is its name in
 * messages. Throws TtError `usage` for other text.
 */
export function parseTrustedProxies(text: string, name = 'The trusted proxies'): TrustedProxies {
  if (/^\d+$/.test(text)) {
    if (Number(text) >= 1 && Number(text) <= maxProxies) return { count: Number(text) }
    throw invalidProxies(text, name)
  }
  return { networks: text.split(',').map((part) => parseNetwork(part.trim(), name)) }
}

const maxProxies = 20

function parseNetwork(text: string, name: string): [Address, number] {
  const [address = '', bits, ...rest] = text.split('/')
  const parsed = parseAddress(address)
  if (!parsed || address.includes(':') !== (parsed.kind() === 'ipv6') || rest.length > 0)
    throw invalidProxies(text, name)
  const length = parsed.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return [parsed, length]
  if (/^\d{1,3}$/.test(bits) && Number(bits) <= length) return [parsed, Number(bits)]
  throw invalidProxies(text, name)
}

function invalidProxies(text: string, name: string): TtError {
  return new TtError(
    'usage',
    `${name}: "${text}" is neither a number of proxies nor an address or network.`,
    {
      hint: `Use a number from 1 to ${maxProxies}, or addresses and networks such as 10.0.0.0/8,fd00::/8.`,
    },
  )
}

/**
 * Returns the address of the client: the remote address of the connection, or the address that the trusted proxies have
 * added to X-Forwarded-For. Addresses to the left of it come from the client and are ignored. Where an entry is no address,
 * it returns the last proxy before it.
 *
 * @param forwarded the header X-Forwarded-For
 */
export function clientAddress(
  forwarded: string | null,
  remoteAddress: string | undefined,
  proxies: TrustedProxies | undefined,
): string {
  const remote = parseAddress(remoteAddress ?? '')
  if (!remote) return remoteAddress ?? ''
  if (!proxies || !isTrusted(remote, 0, proxies)) return remote.toString()
  let client = remote
  // Each proxy appends the address of its client.
  const entries = forwarded === null ? [] : forwarded.split(',').reverse()
  for (const [index, entry] of entries.entries()) {
    const address = parseAddress(withoutPort(entry.trim()))
    if (!address) break
    client = address
    if (!isTrusted(address, index + 1, proxies)) break
  }
  return client.toString()
}

/** Whether the address is that of a proxy, by its position: 0 for the connection, and 1 for the last entry. */
function isTrusted(address: Address, position: number, proxies: TrustedProxies): boolean {
  if ('count' in proxies) return position < proxies.count
  return proxies.networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  )
}

/**
 * Returns the network of an address: of IPv6 the first 64 bits, because one client can use all addresses in it. Returns
 * other text unchanged.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text)
  if (!address) return text
  if (address.kind() === 'ipv4') return address.toString()
  return address.toByteArray().slice(0, 8).join('.')
}

/** Returns an address, IPv4-mapped IPv6 as IPv4; undefined for other text. */
function parseAddress(text: string): Address | undefined {
  // The library also accepts other forms, such as numbers and octal digits.
  const [plain = ''] = text.split('%')
  return isIP(plain) === 0 ? undefined : ipaddr.process(plain)
}

/** Returns the address in `192.0.2.1:8080`, `[2001:db8::1]:8080` and `[2001:db8::1]`. */
function withoutPort(text: string): string {
  const [, address = text] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text) ?? /^([\d.]+):\d{1,5}$/.exec(text) ?? []
  return address
}
