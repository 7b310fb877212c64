import { TtError } from '../../lib/errors.js'
import { displayUrl, readBaseUrl } from '../http/base-url.js'
import { describeBody, errorText } from '../http/error-body.js'
import { networkError } from '../http/network-errors.js'
import { statusError } from '../http/status-errors.js'
import { withTimeout } from '../http/timeout.js'
import { withTrace } from '../http/trace.js'
import { type BufferedResponse, bufferResponse, networkTransport } from '../http/transport.js'
import { findKey } from './legacy-key-field.js'

export interface KeyRequest {
  /** Base URL of the host that issues legacy keys (service-api-v1.md section 1). */
  authUrl: string
  email: string
  password: string
  /** The name of the key at the service. */
  application: string
  /** Allows `http:` to other machines. */
  insecureHttp?: boolean | undefined
  userAgent: string
  /** Receives method, path, status and milliseconds of the request; never the password or the key. */
  trace?: ((line: string) => void) | undefined
  /** Time limit in milliseconds; 10,000 by default. */
  timeoutMs?: number | undefined
}

const identityProviderHint = 'Accounts that use an identity provider have no password.'

/**
 * Requests a legacy API key (service-api-v1.md section 5, "Legacy API keys").
 *
 * The password is sent to this address only: redirects are not followed. Throws TtError: `unauthenticated` for 401 and
 * 403, `not_found` for 404, `unreachable` without a response and for 429 and 5xx, `rejected` for any other error and
 * for a response without a key, `usage` for an invalid address.
 */
export async function fetchKey(request: KeyRequest): Promise<string> {
  const service = displayUrl(readBaseUrl(request.authUrl, request.insecureHttp))
  const response = await postForm(`${service}/api/v1/authenticate`, service, request)
  if (response.status < 200 || response.status > 299) throw responseError(response, service, request.password)
  let value: unknown
  try {
    value = JSON.parse(response.text)
  } catch {
    const body = describeBody(response.text)
    throw new TtError('rejected', `The service at ${service} returned ${body} instead of a key.`, {
      status: response.status,
      nextStep: { action: 'check_sign_in', values: ['auth_url'] },
    })
  }
  return findKey(value, service)
}

/** Sends email and password. Throws TtError `unreachable` without a response. */
async function postForm(url: string, service: string, request: KeyRequest): Promise<BufferedResponse> {
  const { email, password, application, timeoutMs = 10_000 } = request
  const send = withTrace(networkTransport(request.insecureHttp), request.trace)
  const init = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': request.userAgent,
    },
    body: new URLSearchParams({ email, password, application }).toString(),
  }
  return withTimeout(timeoutMs, async (signal) => bufferResponse(await send(url, { ...init, signal }))).catch(
    (error) => {
      throw networkError(error, service)
    },
  )
}

function responseError(
  { status, headers, text: body }: BufferedResponse,
  service: string,
  password: string,
): TtError {
  // A body that repeats the password is not shown.
  const text = body.includes(password) || errorText(body).includes(password) ? '' : body
  const reason = errorText(text)
  if (status === 401 || status === 403) {
    return new TtError(
      'unauthenticated',
      `The service does not accept the email or the password (${status})${reason}`,
      { status, hint: `Check both. ${identityProviderHint}`, nextStep: { action: 'sign_in_without_key' } },
    )
  }
  if (status === 404) {
    return new TtError('not_found', `The service at ${service} does not issue keys (404)${reason}`, {
      status,
      nextStep: { action: 'check_sign_in', values: ['auth_url'], orWithoutKey: true },
    })
  }
  if (status === 429 || status >= 500) {
    return statusError({ method: 'POST', path: '/api/v1/authenticate', service }, { status, headers, text })
  }
  if (status >= 300 && status < 400) {
    const origin = redirectOrigin(headers.get('location'))
    const target = origin === undefined ? '' : ` to ${origin}`
    return new TtError('rejected', `The service redirects${target} (${status}).`, {
      status,
      hint: 'The password was not sent there.',
      nextStep: { action: 'change_address', value: 'auth_url', url: origin },
    })
  }
  return new TtError('rejected', `The service did not issue a key (${status})${reason}`, {
    status,
    hint: `Check the email and the password. ${identityProviderHint}`,
    nextStep: { action: 'sign_in_without_key' },
  })
}

/** Returns only the origin of a redirect target: its path and query may repeat the request. */
function redirectOrigin(location: string | null): string | undefined {
  return location && /^https?:/i.test(location) && URL.canParse(location)
    ? new URL(location).origin
    : undefined
}
