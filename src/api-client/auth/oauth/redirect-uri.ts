import { TtError } from '../../../lib/errors.js'

/** The redirect URI of one sign-in, and the addresses of its callback server. */
export interface Redirect {
  /** The addresses to listen on; none if the user has to paste the response. */
  readonly hosts: readonly string[]
  /** The port to listen on; 0 is any free port. */
  readonly port: number
  /** Returns the URI to send, exactly as registered, except that `port` is inserted if it has none. */
  withPort(port: number): string
}

/** The default redirect URI, which allows any port of 127.0.0.1. */
export const defaultRedirectUri = 'http://127.0.0.1/callback'
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?([/?].*)?$/i

/**
 * Reads the registered redirect URI; the default is /callback on any free port of 127.0.0.1.
 *
 * 127.0.0.1 and [::1] without a port use a free port (RFC 8252 section 7.3). `localhost` is an ordinary name: its port is
 * the registered one, by default 80. Addresses with another scheme have no callback server. Throws TtError `usage` for
 * text that is not a URI, for a fragment (RFC 6749 section 3.1.2), and for `http:` to another machine, which would send the
 * response unencrypted (RFC 9700 section 2.6).
 */
export function readRedirectUri(text: string = defaultRedirectUri): Redirect {
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) {
    throw invalidUriError(`"${text}" is not a redirect URI.`)
  }
  if (text.includes('#')) throw invalidUriError(`The redirect URI ${text} has a fragment.`)
  const [, host, port, rest = ''] = loopback.exec(text) ?? []
  if (host === undefined) {
    if (new URL(text).protocol === 'http:') {
      throw invalidUriError(`The redirect URI ${text} is neither encrypted nor on this machine.`)
    }
    return { hosts: [], port: 0, withPort: () => text }
  }
  if (host.toLowerCase() === 'localhost') {
    return { hosts: ['127.0.0.1', '::1'], port: Number(port ?? 80), withPort: () => text }
  }
  const hosts = [host.replace(/[[\]]/g, '')]
  if (port !== undefined) return { hosts, port: Number(port), withPort: () => text }
  return { hosts, port: 0, withPort: (free) => `http://${host}:${free}${rest}` }
}

function invalidUriError(message: string): TtError {
  return new TtError('usage', message, {
    hint: `Use the registered redirect URI of the application, such as ${defaultRedirectUri}.`,
    nextStep: { action: 'check_sign_in', values: ['redirect_uri'] },
  })
}
