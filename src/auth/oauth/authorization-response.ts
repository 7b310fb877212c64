import { TtError } from '../../lib/errors.js'
import { isSameSecret } from './pkce.js'

/** What an answer has to show before it is believed. */
export interface ExpectedResponse {
  state: string
  /** The authorization server, where its metadata names it (RFC 8414 section 2). */
  issuer?: string | undefined
  /** The metadata says that each answer names its issuer (RFC 9207 section 3). */
  supportsIss?: boolean | undefined
}

/** The authorization server's answer: a code, or why there is none. */
export type AuthorizationResponse = { code: string } | { error: TtError }

/** An answer, or what is wrong with something that is not the answer to this sign-in. */
export type ParsedResponse = AuthorizationResponse | { problem: string }

/**
 * Reads the parameters of a redirect (RFC 6749 section 4.1.2, RFC 9207 section 2.4).
 *
 * `state` comes first: without the right one nothing else is looked at, and the sign-in goes on.
 */
export function readAuthorizationResponse(
  parameters: URLSearchParams,
  expected: ExpectedResponse,
): ParsedResponse {
  const names = [...parameters.keys()]
  if (new Set(names).size !== names.length) return { problem: 'It has a parameter more than once.' }
  const state = parameters.get('state')
  if (!state) return { problem: 'It has no state.' }
  if (!isSameSecret(state, expected.state))
    return { problem: 'It belongs to another sign-in: its state differs.' }
  const stranger = issuerMismatch(parameters.get('iss'), expected)
  if (stranger) return { error: stranger }
  const error = parameters.get('error')
  if (error) return { error: refusal(error, parameters.get('error_description')) }
  const code = parameters.get('code')
  return code ? { code } : { problem: 'It has neither a code nor an error.' }
}

/**
 * Reads what a person pasted: the address that the browser ended at, or its query alone.
 *
 * The same rules hold as for a request: the address must be the redirect URI, and the state must be right.
 */
export function readPastedUrl(
  text: string,
  redirectUri: string,
  read: (parameters: URLSearchParams) => ParsedResponse,
): ParsedResponse {
  const pasted = text.trim().replace(/^(["'])(.*)\1$/, '$2')
  if (/^\??[a-z_]+=/.test(pasted)) return read(new URLSearchParams(pasted.replace(/#.*/, '')))
  if (!URL.canParse(pasted)) return { problem: 'It is not an address.' }
  const [address, wanted] = [new URL(pasted), new URL(redirectUri)]
  const same = (['protocol', 'host', 'pathname'] as const).every((part) => address[part] === wanted[part])
  return same ? read(address.searchParams) : { problem: `It does not begin with ${redirectUri}.` }
}

/** Why an answer is not from the server that was asked: the defence against mix-up (RFC 9700 section 4.4). */
function issuerMismatch(iss: string | null, { issuer, supportsIss }: ExpectedResponse): TtError | undefined {
  if (issuer === undefined || iss === issuer || (iss === null && !supportsIss)) return undefined
  const problem = iss ? `comes from ${legible(iss)}` : 'does not say who it comes from'
  return new TtError('rejected', `The answer ${problem}, but ${issuer} was asked. It was not used.`, {
    hint: 'Sign in again. If this comes back, somebody may be interfering: ask who runs the service.',
  })
}

/** An error of the authorization endpoint (RFC 6749 section 4.1.2.1). */
function refusal(error: string, description: string | null): TtError {
  const words = legible(description ?? '')
  const said = words ? `: ${/[.?!…]$/.test(words) ? words : `${words}.`}` : '.'
  switch (error) {
    case 'access_denied':
      return new TtError('unauthenticated', `Access was denied in the browser${said}`, {
        hint: 'Run `tt login` again and allow access.',
      })
    case 'invalid_scope':
      return new TtError('rejected', `The service refused the scopes${said}`, {
        hint: 'Check --scope against what the application may ask for.',
      })
    case 'unauthorized_client':
      return new TtError('rejected', `The service does not let this application sign people in${said}`, {
        hint: 'Check the client id and how the application is registered.',
      })
    case 'server_error':
    case 'temporarily_unavailable':
      return new TtError('unreachable', `The service cannot sign anybody in for now (${error})${said}`, {
        hint: 'Run `tt login` again later.',
      })
    default:
      return new TtError('rejected', `The service refused the sign-in (${legible(error)})${said}`, {
        hint: 'Check the client id, the scopes and the redirect URI as the application is registered.',
      })
  }
}

/** A stranger's words on one line, without characters that steer a terminal or turn its text around. */
function legible(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 300)
  return line.length === 300 ? `${line}…` : line
}
