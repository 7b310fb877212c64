import { TtError } from '../../lib/errors.js'
import { trimEnd } from '../../lib/text/words.js'

/**
 * Reads the address of the API root of a service (service-api-v1.md section 1) and removes a trailing slash.
 *
 * Throws TtError `usage` for text that is not an absolute http(s) address, for an address with a user name, password,
 * query or fragment, and for `http:` to another machine unless `insecureHttp` is set: the token would not be encrypted.
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
      hint: `Use only the address, such as ${url.origin}/api/v1.`,
    })
  }
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(url.hostname)) {
    throw new TtError('usage', `${url.href} is not encrypted: others could read the token.`, {
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
 * reserves these names for loopback addresses, but not every resolver conforms to it.
 */
export async function checkLoopbackName(address: string, lookup = systemLookup): Promise<void> {
  const { protocol, hostname } = new URL(address)
  if (protocol !== 'http:' || !hostname.endsWith('.localhost')) return
  const records = await lookup(hostname)
  const other = records.find((record) => !isLoopbackAddress(record.address))
  if (!other) return
  throw new TtError('usage', `${hostname} resolves to ${other.address}, which is not a loopback address.`, {
    hint: 'Others could read the token.',
    nextStep: { action: 'allow_insecure_http' },
  })
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
}

/** Whether the host of a parsed URL is this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3). */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

/** Returns the base URL as users write it: without a trailing slash. */
export function displayUrl(base: URL): string {
  return trimEnd(base.href, '/')
}
