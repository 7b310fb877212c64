import { TtError } from '../../lib/errors.js'
import type { Connection } from '../http/listener.js'

/**
 * Validates the public URL of the service and returns its origin. `name` is its name in messages. Throws TtError `usage` for a URL with a path, query
 * or credentials, or with a scheme other than https and http.
 */
export function validatePublicUrl(text: string, name = 'The public URL'): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new TtError('usage', `${name}: "${text}" is not a valid public URL.`, {
    hint: 'Use only scheme and host, such as https://time.example.com.',
  })
}

/**
 * Returns the origin of a request to a service without a public URL, if its host is a loopback name, the host that the
 * service listens on, or the local address of the connection. Returns undefined for any other host: the client chooses
 * the Host header, which may be a name that an attacker has pointed to this address (DNS rebinding).
 */
export function requestOrigin(url: URL, host: string, { localAddress = '' }: Connection): string | undefined {
  const requestHost = normalizeHost(url.hostname)
  const ownHosts = [
    'localhost',
    '127.0.0.1',
    '::1',
    normalizeHost(host.toLowerCase()),
    normalizeHost(localAddress),
  ]
  return ownHosts.includes(requestHost) ? url.origin : undefined
}

/** Whether the host of a URL is this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = normalizeHost(host.toLowerCase())
  return name === 'localhost' || name === '::1' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** Returns an address without the brackets of a URL, and an IPv4-mapped IPv6 address as IPv4. */
const normalizeHost = (host: string) => host.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '')
