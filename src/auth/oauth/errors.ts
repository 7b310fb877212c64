import { errorText } from '../../api/error-body.js'
import type { BufferedResponse } from '../../api/transport.js'
import { type ErrorCode, TtError, type TtErrorDetails } from '../../lib/errors.js'
import { escapeHtml } from '../../lib/html.js'

/** The authorization server refused, with an error code of RFC 6749 section 5.2. */
export class OAuthError extends TtError {
  /** Such as `invalid_grant`; empty where the answer has none. */
  readonly error: string

  constructor(error: string, code: ErrorCode, message: string, details: TtErrorDetails) {
    super(code, message, details)
    this.error = error
  }
}

type Refusal = [code: ErrorCode, trouble: string, hint: string]

/** What each error code comes to in plain words. */
const refusals: Record<string, Refusal> = {
  invalid_client: [
    'unauthenticated',
    'does not accept the client id or the client secret',
    'Check both where the application is registered, then sign in again with `tt login`.',
  ],
  invalid_grant: [
    'unauthenticated',
    'does not accept the sign-in: it has expired, was used before, or belongs to another redirect URI',
    'Start again with `tt login`. The redirect URI must be registered as it is sent.',
  ],
  unauthorized_client: [
    'rejected',
    'does not let this application sign in like this',
    'Check that the application is registered for the authorization code flow and for refresh tokens.',
  ],
  unsupported_grant_type: [
    'rejected',
    'does not know this way of signing in',
    'Check the address for signing in (--auth-url), and whether the service offers OAuth 2.0.',
  ],
  invalid_scope: [
    'rejected',
    'does not grant the scope that was asked for',
    'Ask for scopes that the application is registered for: tt login --scope "service:read service:write"',
  ],
  invalid_request: [
    'rejected',
    'finds the request incomplete or malformed',
    'Check the address for signing in (--auth-url) and the client id.',
  ],
}

const unknownRefusal: Refusal = [
  'rejected',
  'refused to sign in',
  'Check the address for signing in (--auth-url), the client id and the client secret.',
]

/** An answer that grants nothing, as an error. What is in the answer is shown: it must be without secrets. */
export function oauthError(authUrl: string, { status, text }: BufferedResponse): OAuthError {
  const error = errorIn(text)
  const [code, trouble, hint] = (Object.hasOwn(refusals, error) && refusals[error]) || unknownRefusal
  return new OAuthError(
    error,
    code,
    `The service at ${authUrl} ${trouble} (${error || status})${errorText(text)}`,
    { status, hint },
  )
}

function errorIn(text: string): string {
  try {
    const { error } = Object(JSON.parse(text))
    // The characters that RFC 6749 section 5.2 allows, so that it can be shown.
    return typeof error === 'string' && /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,80}$/.test(error) ? error : ''
  } catch {
    return ''
  }
}

const secretsSent = ['code', 'code_verifier', 'client_secret', 'refresh_token', 'token']
const secretsGiven = ['access_token', 'refresh_token', 'id_token']

/**
 * An answer without the secrets of the request, however the server spells them, and without tokens under their names:
 * a server may repeat what it was sent, and that must not reach a terminal or a log.
 */
export function withoutSecrets(text: string, sent: Record<string, string>): string {
  const spellings = secretsSent.flatMap((name) => (sent[name] ? spellingsOf(sent[name]) : []))
  const hidden = (words: string) => spellings.reduce((rest, secret) => rest.replaceAll(secret, '…'), words)
  try {
    return JSON.stringify(JSON.parse(text), (_, part: unknown) => {
      if (typeof part === 'string') return hidden(part)
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
      const fields = Object.entries(part).filter(([name]) => !secretsGiven.includes(name))
      return Object.fromEntries(fields.map(([name, value]) => [hidden(name), value]))
    })
  } catch {
    return hidden(text)
  }
}

/** A secret as it is, in JSON, in a form, in an address, and in a web page. */
function spellingsOf(secret: string): string[] {
  const inForm = new URLSearchParams({ secret }).toString().slice('secret='.length)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    inForm,
    inForm.replaceAll('+', '%20'),
    escapeHtml(secret),
  ]
}
