import { TtError } from '../../../lib/errors.js'
import { isSameSecret } from '../../../lib/is-same-secret.js'

/** Values with which an authorization response is verified. */
export interface ExpectedResponse {
  state: string
  /** The authorization server, if its metadata names it (RFC 8414 section 2). */
  issuer?: string | undefined
  /** The metadata says that each response names its issuer (RFC 9207 section 3). */
  supportsIss?: boolean | undefined
}

/** The response of the authorization server: a code, or an error. */
export type AuthorizationResponse = { code: string } | { error: TtError }

/** An authorization response, or why parameters are not the response to this sign-in. */
export type ParsedResponse = AuthorizationResponse | { problem: string }

/**
 * Reads the parameters of a redirect (RFC 6749 section 4.1.2, RFC 9207 section 2.4).
 *
 * Verifies `state` first: if it differs from the expected one, ignores the other parameters, so that the sign-in can
 * continue.
 */
export function readAuthorizationResponse(
  parameters: URLSearchParams,
  expected: ExpectedResponse,
): ParsedResponse {
  const names = [...parameters.keys()]
  if (new Set(names).size !== names.length) return { problem: 'It contains a parameter more than once.' }
  const state = parameters.get('state')
  if (!state) return { problem: 'It has no state.' }
  if (!isSameSecret(state, expected.state))
    return { problem: 'It belongs to another sign-in: its state differs.' }
  const mismatch = issuerMismatch(parameters.get('iss'), expected)
  if (mismatch) return { error: mismatch }
  const error = parameters.get('error')
  if (error) return { error: errorResponse(error, parameters.get('error_description')) }
  const code = parameters.get('code')
  return code ? { code } : { problem: 'It has neither a code nor an error.' }
}

/**
 * Reads the text that the user pasted: the URL to which the browser was redirected, or only its query.
 *
 * Applies the rules of a redirect: the URL must be the redirect URI, and `state` must be the expected one.
 */
export function readPastedUrl(
  text: string,
  redirectUri: string,
  read: (parameters: URLSearchParams) => ParsedResponse,
): ParsedResponse {
  const pasted = text.trim().replace(/^(["'])(.*)\1$/, '$2')
  if (/^\??[a-z_]+=/.test(pasted)) return read(new URLSearchParams(pasted.replace(/#.*/, '')))
  if (!URL.canParse(pasted)) return { problem: 'It is not a URL.' }
  const [address, expected] = [new URL(pasted), new URL(redirectUri)]
  const isRedirectUri = (['protocol', 'host', 'pathname'] as const).every(
    (part) => address[part] === expected[part],
  )
  return isRedirectUri ? read(address.searchParams) : { problem: `It does not begin with ${redirectUri}.` }
}

/** Returns an error if a response is not from the expected server: the defence against mix-up (RFC 9700 section 4.4). */
function issuerMismatch(iss: string | null, { issuer, supportsIss }: ExpectedResponse): TtError | undefined {
  if (issuer === undefined || iss === issuer || (iss === null && !supportsIss)) return undefined
  const problem = iss
    ? `comes from ${toSafeLine(iss)}, not from ${issuer}`
    : `does not name its issuer; expected ${issuer}`
  return new TtError('rejected', `The authorization response ${problem}. It was not used.`, {
    hint: 'It may come from an attacker: if this happens again, contact the operator of the service.',
    nextStep: { action: 'sign_in' },
  })
}

/** Returns the error for an error response of the authorization endpoint (RFC 6749 section 4.1.2.1). */
function errorResponse(error: string, description: string | null): TtError {
  const text = toSafeLine(description ?? '')
  const reason = text ? `: ${/[.?!…]$/.test(text) ? text : `${text}.`}` : '.'
  switch (error) {
    case 'access_denied':
      return new TtError('unauthenticated', `Access was denied in the browser${reason}`, {
        nextStep: { action: 'sign_in', allowsAccess: true },
      })
    case 'invalid_scope':
      return new TtError('rejected', `The service rejected the scopes${reason}`, {
        hint: 'The application must be registered for all scopes that it requests.',
        nextStep: { action: 'check_sign_in', values: ['scope'] },
      })
    case 'unauthorized_client':
      return new TtError(
        'rejected',
        `The service does not allow this application to sign in users${reason}`,
        {
          hint: 'Check the registration of the application.',
          nextStep: { action: 'check_sign_in', values: ['client_id'] },
        },
      )
    case 'server_error':
    case 'temporarily_unavailable':
      return new TtError('unreachable', `Signing in is temporarily unavailable (${error})${reason}`, {
        hint: 'Try again later.',
        nextStep: { action: 'sign_in' },
      })
    default:
      return new TtError('rejected', `The service rejected the sign-in (${toSafeLine(error)})${reason}`, {
        hint: 'The values must match the registration of the application.',
        nextStep: { action: 'check_sign_in', values: ['client_id', 'scope', 'redirect_uri'] },
      })
  }
}

/** Returns untrusted text on one line, without control characters and characters that change the direction of text. */
function toSafeLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
  return line.length === 300 ? `${line}…` : line
}
