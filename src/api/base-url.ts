import { TtError } from '../lib/errors.js'
import { trimEnd } from '../lib/trim-end.js'

/**
 * Reads the address of a service's API root (service-api-v1.md section 1) and takes the slash at its end away.
 *
 * Throws TtError `usage` for what is not an absolute http(s) address, for one that carries a password, a query or
 * a fragment, and for `http:` to another machine unless `insecureHttp` is set: the token would travel in the open.
 */
export function readBaseUrl(text: string, insecureHttp = false): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new TtError('usage', `"${text}" is not the address of a service.`, {
      hint: 'A base URL looks like https://example.com/api/v1.',
    })
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TtError('usage', 'The base URL has a user name, a password, a query or a fragment.', {
      hint: `Only the address itself belongs there, such as ${url.origin}/api/v1.`,
    })
  }
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname)) {
    throw new TtError('usage', `${url.href} is not encrypted: the token could be read on its way.`, {
      hint: `Use https://${url.host}${url.pathname}.`,
    })
  }
  url.pathname = trimEnd(url.pathname, '/')
  return url
}

/** Resolves a host name to all its addresses. */
type Lookup = (hostname: string) => Promise<readonly { address: string }[]>

const systemLookup: Lookup = async (hostname) =>
  (await import('node:dns/promises')).lookup(hostname, { all: true })

/**
 * Throws TtError `usage` for an `http:` address below `localhost` that resolves to another machine. RFC 6761 section 6.3
 * reserves these names for loopback addresses, but not every resolver obeys it.
 */
export async function checkLoopbackName(address: string, lookup = systemLookup): Promise<void> {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'http:' || !hostname.endsWith('.localhost')) return
  const found = await lookup(hostname)
  const other = found.find((one) => !isLoopbackAddress(one.address))
  if (!other) return
  throw new TtError('usage', `${hostname} resolves to ${other.address}, which is not a loopback address.`, {
    hint: 'The token could be read on its way. Use https, or sign in with `tt login --insecure-http`.',
  })
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
}

/** Whether the host, as a parsed URL spells it, is this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3). */
function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

/** The base URL as a person writes it: no slash at its end. */
export function displayUrl(base: URL): string {
  return trimEnd(base.href, '/')
}
