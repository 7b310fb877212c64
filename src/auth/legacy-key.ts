import { displayUrl, readBaseUrl } from '../api/base-url.js'
import { describeBody, errorText } from '../api/error-body.js'
import { networkError, statusError } from '../api/errors.js'
import { withTimeout } from '../api/timeout.js'
import { withTrace } from '../api/trace.js'
import { type BufferedResponse, bufferResponse, networkTransport } from '../api/transport.js'
import { TtError } from '../lib/errors.js'
import { findKey } from './legacy-key-field.js'

export interface KeyRequest {
  /** The host of the legacy key endpoint (service-api-v1.md section 1). */
  authUrl: string
  email: string
  password: string
  /** The name that the key goes by at the service. */
  application: string
  /** Lets `http:` reach other machines. */
  insecureHttp?: boolean | undefined
  userAgent: string
  /** Told method, path, status and milliseconds, for --debug; never the password or the key. */
  trace?: ((line: string) => void) | undefined
  /** How long the service may take; 10,000 where not given. */
  timeoutMs?: number | undefined
}

const oauthHint = 'Who signs in through an identity provider has no password: use `tt login` without --key.'

/**
 * Asks the service for a legacy API key (service-api-v1.md section 5, "Legacy API keys").
 *
 * The password goes to this one address: no redirect is followed. Throws TtError: `unauthenticated` for 401 and
 * 403, `not_found` for 404, `unreachable` without an answer and for 429 and 5xx, `rejected` for any other refusal
 * and for an answer without a key, `usage` for an address that cannot be used.
 */
export async function fetchKey(request: KeyRequest): Promise<string> {
  const service = displayUrl(readBaseUrl(request.authUrl, request.insecureHttp))
  const answer = await post(`${service}/api/v1/authenticate`, service, request)
  if (answer.status < 200 || answer.status > 299) throw refusal(answer, service, request.password)
  let value: unknown
  try {
    value = JSON.parse(answer.text)
  } catch {
    throw new TtError(
      'rejected',
      `The service at ${service} answered with ${describeBody(answer.text)} instead of a key.`,
      { status: answer.status, hint: 'Check the address of the service (--auth-url).' },
    )
  }
  return findKey(value, service)
}

async function post(url: string, service: string, request: KeyRequest): Promise<BufferedResponse> {
  const { email, password, application, timeoutMs = 10_000 } = request
  const send = withTrace(networkTransport(request.insecureHttp), request.trace)
  const form = {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': request.userAgent,
    },
    body: new URLSearchParams({ email, password, application }).toString(),
  }
  return withTimeout(timeoutMs, async (signal) => bufferResponse(await send(url, { ...form, signal }))).catch(
    (error) => {
      throw networkError(error, service)
    },
  )
}

function refusal(
  { status, headers, text: sent }: BufferedResponse,
  service: string,
  password: string,
): TtError {
  // A service that repeats the password in its refusal is not repeated.
  const text = sent.includes(password) || errorText(sent).includes(password) ? '' : sent
  const said = errorText(text)
  if (status === 401 || status === 403) {
    return new TtError(
      'unauthenticated',
      `The service refused the email or the password (${status})${said}`,
      {
        status,
        hint: `Check both. ${oauthHint}`,
      },
    )
  }
  if (status === 404) {
    return new TtError('not_found', `The service at ${service} gives out no keys (404)${said}`, {
      status,
      hint: 'Check the address of the service (--auth-url), or use `tt login` without --key.',
    })
  }
  if (status === 429 || status >= 500) {
    return statusError({ method: 'POST', path: '/api/v1/authenticate', service }, { status, headers, text })
  }
  if (status >= 300 && status < 400) {
    return new TtError('rejected', `The service redirects (${status})${whither(headers.get('location'))}.`, {
      status,
      hint: 'If that is where your service is now, give it as --auth-url. The password was not sent there.',
    })
  }
  return new TtError('rejected', `The service gave no key (${status})${said}`, {
    status,
    hint: `Check the email and the password. ${oauthHint}`,
  })
}

/** Where a redirect leads: the origin alone, because the rest may repeat what was sent. */
function whither(location: string | null): string {
  return location && /^https?:/i.test(location) && URL.canParse(location)
    ? ` to ${new URL(location).origin}`
    : ''
}
