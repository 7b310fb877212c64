import { TtError } from '../../lib/errors.js'

/** A loopback address. The application chooses its port when it starts to listen. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:[/?].*)?)$/

/**
 * Whether `uri` is one of the registered redirect URIs. They must be identical, except for the port of a loopback IP
 * address (RFC 8252 section 7.3, RFC 9700 section 4.1.3); `localhost` is not an IP address.
 */
export function isRegisteredRedirectUri(uri: string, registeredUris: readonly string[]): boolean {
  return registeredUris.some((registered) => registered === uri || isSameLoopback(registered, uri))
}

function isSameLoopback(registered: string, requested: string): boolean {
  const [, host, , rest] = loopback.exec(registered) ?? []
  const [, requestedHost, port, requestedRest] = loopback.exec(requested) ?? []
  return host !== undefined && host === requestedHost && rest === requestedRest && isPort(port)
}

const isPort = (port: string | undefined) => port === undefined || (Number(port) > 0 && Number(port) < 65536)

/**
 * Returns a redirect URI if it can be registered: https, http to a loopback address, or the scheme of an app such as
 * com.example.app (RFC 8252 section 7.1), without a fragment (RFC 6749 section 3.1.2). Throws TtError `usage`.
 */
export function validateRedirectUri(uri: string): string {
  const problem = findProblem(uri)
  if (problem === undefined) return uri
  throw new TtError('usage', `"${uri}" cannot be a redirect URI: ${problem}.`, {
    hint: 'Use a URL such as https://example.com/callback or http://127.0.0.1/callback.',
  })
}

function findProblem(uri: string): string | undefined {
  // The URI is stored and compared as text, so it must not be ambiguous.
  if (!/^[!-~]{1,2000}$/.test(uri) || /["'<>\\^`{|}]/.test(uri))
    return 'it contains characters that must be percent-encoded'
  if (!URL.canParse(uri)) return 'it is not an absolute URL'
  const { protocol, hostname, username, password } = new URL(uri)
  if (uri.includes('#')) return 'it has a fragment'
  if (username !== '' || password !== '') return 'it contains a user name or a password'
  if (protocol === 'https:') return undefined
  if (protocol === 'http:') {
    return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
      ? undefined
      : 'http is only allowed for loopback addresses'
  }
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)
    ? undefined
    : 'its scheme is not that of an app, such as com.example.app'
}

/** Returns the redirect URI with the parameters added to its query. */
export function buildRedirectUrl(uri: string, parameters: Record<string, string | undefined>): string {
  const defined = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(defined)}`
}

/**
 * Returns the `form-action` source that allows a form to redirect to `uri`: browsers apply that directive to redirects
 * too. Its grammar has no IPv6 addresses, so the result for those is the scheme (Content Security Policy section 2.3.1).
 */
export function formActionSource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}
