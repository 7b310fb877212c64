import { type ErrorCode, TtError, type TtErrorDetails } from '../../../lib/errors.js'
import { escapeHtml } from '../../../lib/text/html.js'
import { errorCode, errorText, statusError } from '../../http/status-errors.js'
import { scopes } from '../../types.js'

/** An error response of the authorization server (RFC 6749 section 5.2). */
export class OAuthError extends TtError {
  /** The error code, such as `invalid_grant`; empty if the response has none. */
  readonly error: string

  constructor(error: string, code: ErrorCode, message: string, details: TtErrorDetails) {
    super(code, message, details)
    this.error = error
  }
}

type ErrorDescription = [code: ErrorCode, problem: string, advice: Pick<TtErrorDetails, 'hint' | 'nextStep'>]

/** Description of each error code of RFC 6749 section 5.2. */
const errorDescriptions: Record<string, ErrorDescription> = {
  invalid_client: [
    'unauthenticated',
    'does not accept the client ID or the client secret',
    {
      hint: 'Both must match the registration of the application.',
      nextStep: { action: 'sign_in' },
    },
  ],
  invalid_grant: [
    'unauthenticated',
    'does not accept the sign-in: it has expired, was used before, or belongs to another redirect URI',
    {
      hint: 'The redirect URI must match the registration of the application.',
      nextStep: { action: 'sign_in' },
    },
  ],
  unauthorized_client: [
    'rejected',
    'does not allow this application to sign in this way',
    { hint: 'Register the application for the authorization code flow and for refresh tokens.' },
  ],
  unsupported_grant_type: [
    'rejected',
    'does not support this way of signing in',
    {
      hint: 'The service must support OAuth 2.0.',
      nextStep: { action: 'check_sign_in', values: ['auth_url'] },
    },
  ],
  invalid_scope: [
    'rejected',
    'does not grant the requested scopes',
    {
      hint: 'The application must be registered for all scopes that it requests.',
      nextStep: { action: 'request_scopes', scopes },
    },
  ],
  invalid_request: [
    'rejected',
    'reports that the request is incomplete or malformed',
    { nextStep: { action: 'check_sign_in', values: ['auth_url', 'client_id'] } },
  ],
}

const unknownError: ErrorDescription = [
  'rejected',
  'rejected the sign-in',
  { nextStep: { action: 'check_sign_in', values: ['auth_url', 'client_id', 'client_secret'] } },
]

/** Returns the error for a response of the server that is not a success; its text must not contain secrets. */
export async function responseError(authUrl: string, response: Response): Promise<TtError> {
  const { status } = response
  if (status === 429 || status >= 500) return unavailableError(authUrl, response)
  const text = await response.text()
  const code = errorCode(text) ?? ''
  // Only the characters that RFC 6749 section 5.2 allows, so that the code can be shown.
  const error = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,80}$/.test(code) ? code : ''
  const [errorType, problem, advice] =
    (Object.hasOwn(errorDescriptions, error) && errorDescriptions[error]) || unknownError
  const message = `The service at ${authUrl} ${problem} (${error || status})${errorText(text)}`
  return new OAuthError(error, errorType, message, { status, ...advice })
}

/** Returns the error for a server that is overloaded or has failed. */
export async function unavailableError(authUrl: string, response: Response): Promise<TtError> {
  const { status, headers } = response
  return statusError(
    { method: 'POST', path: '', service: authUrl },
    { status, headers, text: await response.text() },
  )
}

const responseSecrets = ['access_token', 'refresh_token', 'id_token']

/**
 * Returns a response body without these secrets, in any encoding, and without fields that contain tokens: a server may
 * repeat the request, and secrets must not reach a terminal or a log.
 */
export function withoutSecrets(text: string, secrets: readonly (string | null | undefined)[]): string {
  const encodings = secrets.flatMap((secret) => (secret ? encodingsOf(secret) : []))
  const mask = (part: string) => encodings.reduce((rest, secret) => rest.replaceAll(secret, '…'), part)
  try {
    return JSON.stringify(JSON.parse(text), (_, part: unknown) => {
      if (typeof part === 'string') return mask(part)
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
      const fields = Object.entries(part).filter(([name]) => !responseSecrets.includes(name))
      return Object.fromEntries(fields.map(([name, value]) => [mask(name), value]))
    })
  } catch {
    return mask(text)
  }
}

/** Returns a secret unchanged and as encoded in JSON, in a form, in an address and in a web page. */
function encodingsOf(secret: string): string[] {
  const inForm = new URLSearchParams({ secret }).toString().slice('secret='.length)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    inForm,
    inForm.replaceAll('+', '%20'),
    escapeHtml(secret),
  ]
}
