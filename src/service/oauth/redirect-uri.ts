import { TtError } from '../../lib/errors.js'

/** An address of this machine itself with any port, which is chosen when the application starts to listen. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/

/**
 * Whether an application may be answered at `asked`: exactly a registered address, but for the port of a loopback
 * literal (RFC 8252 section 7.3, RFC 9700 section 4.1.3). `localhost` is a name like any other.
 */
export function isRegisteredRedirectUri(asked: string, registered: readonly string[]): boolean {
  return registered.some((uri) => uri === asked || isSameLoopback(uri, asked))
}

function isSameLoopback(registered: string, asked: string): boolean {
  const [, host, , rest] = loopback.exec(registered) ?? []
  const [, askedHost, port, askedRest] = loopback.exec(asked) ?? []
  return host !== undefined && host === askedHost && rest === askedRest && isPort(port)
}

const isPort = (port: string | undefined) => port === undefined || (Number(port) > 0 && Number(port) < 65536)

/**
 * A redirect URI that can be registered: https, http to this machine itself, or the scheme of an app such as
 * com.example.app (RFC 8252 section 7.1); without a fragment (RFC 6749 section 3.1.2). Throws TtError `usage`.
 */
export function validateRedirectUri(uri: string): string {
  const problem = problemOf(uri)
  if (problem === undefined) return uri
  throw new TtError('usage', `"${uri}" cannot be a redirect URI: ${problem}.`, {
    hint: 'Give an address such as https://example.com/callback or http://127.0.0.1/callback.',
  })
}

function problemOf(uri: string): string | undefined {
  // Kept and compared as text, so nothing in it may have two readings.
  if (!/^[!-~]{1,2000}$/.test(uri) || /["'<>\\^`{|}]/.test(uri))
    return 'it has characters that belong encoded'
  if (!URL.canParse(uri)) return 'it is not an absolute address'
  const { protocol, hostname, username, password } = new URL(uri)
  if (uri.includes('#')) return 'it has a fragment'
  if (username !== '' || password !== '') return 'it names a user'
  if (protocol === 'https:') return undefined
  if (protocol === 'http:') {
    return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
      ? undefined
      : 'http is for addresses of the own machine alone'
  }
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
    ? undefined
    : 'its scheme is not one of an application'
}

/** The address that the browser is sent to, with these parameters added to its query. */
export function buildRedirectUrl(uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`
}

/**
 * What `form-action` must name so that a form may end at `uri`: browsers apply that directive to the redirects after
 * a form too. Its grammar knows no IPv6 address, so the scheme stands for one (Content Security Policy section 2.3.1).
 */
export function formActionSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}
