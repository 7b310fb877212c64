import { TtError } from '../../lib/errors.js'
import type { Connection } from '../http/listener.js'

/**
 * The origin of `--public-url`. Throws TtError `usage` for an address that has more than an origin, or is neither
 * https nor http.
 */
export function validatePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isOrigin = url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new TtError('usage', `"${text}" is not the address of a service.`, {
    hint: 'Give scheme and host alone, such as https://time.example.com.',
  })
}

/**
 * The origin under which this request reached the service, where nobody has said what it is: a name of the loopback,
 * the host that it listens on, or the very address of the connection. Everything else is undefined: a Host header
 * is what the sender wants it to be, and a name that was bound to this address for an attack (DNS rebinding) is one.
 */
export function requestOrigin(url: URL, host: string, { localAddress = '' }: Connection): string | undefined {
  const name = bare(url.hostname)
  const own = ['localhost', '127.0.0.1', '::1', bare(host.toLowerCase()), bare(localAddress)]
  return own.includes(name) ? url.origin : undefined
}

/** An address without the brackets of a URL, and without the IPv6 around an IPv4 address. */
const bare = (host: string) => host.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/i, '')

/** Who calls: the end of the connection, or what the trusted proxy at that end says of its own caller. */
export function clientAddress(
  request: Request,
  { remoteAddress = '' }: Connection,
  trustProxy: boolean,
): string {
  const forwarded = trustProxy ? request.headers.get('X-Forwarded-For')?.split(',').at(-1)?.trim() : undefined
  return forwarded || remoteAddress
}
