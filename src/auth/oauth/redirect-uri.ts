import { TtError } from '../../lib/errors.js'

/** The redirect URI of one sign-in, and where its answer arrives. */
export interface Redirect {
  /** The addresses to listen at; none where the answer can only be pasted. */
  readonly hosts: readonly string[]
  /** The port to listen at; 0 is any free one. */
  readonly port: number
  /** The URI to send, character for character as registered; `port` fills in a free one. */
  withPort(port: number): string
}

/** What is registered for `tt` where nothing else is said: any port of 127.0.0.1 will do. */
export const defaultRedirectUri = 'http://127.0.0.1/callback'
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?([/?].*)?$/i

/**
 * Reads the registered redirect URI; without one it is /callback on any free port of 127.0.0.1.
 *
 * 127.0.0.1 and [::1] take a free port where none is given (RFC 8252 section 7.3); `localhost` is a name like any
 * other, so its port is the one that is registered, 80 where none is. An address of another scheme gets no listener.
 * Throws TtError `usage` for what is no URI, for a fragment (RFC 6749 section 3.1.2), and for `http:` to another
 * machine, which would carry the answer in the open (RFC 9700 section 2.6).
 */
export function readRedirectUri(text: string = defaultRedirectUri): Redirect {
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) {
    throw refusal(`"${text}" is not a redirect URI.`)
  }
  if (text.includes('#')) throw refusal(`The redirect URI ${text} has a fragment.`)
  const [, host, port, rest = ''] = loopback.exec(text) ?? []
  if (host === undefined) {
    if (new URL(text).protocol === 'http:') {
      throw refusal(`The redirect URI ${text} is neither encrypted nor on this machine.`)
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

function refusal(message: string): TtError {
  return new TtError('usage', message, {
    hint: `Give --redirect-uri as the application is registered, such as ${defaultRedirectUri}.`,
  })
}
