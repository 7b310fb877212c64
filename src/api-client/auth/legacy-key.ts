import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { displayUrl, readBaseUrl } from '../http/base-url.js'
import { networkError, withTimeout } from '../http/network-errors.js'
import { describeBody, errorText, statusError } from '../http/status-errors.js'
import { type BufferedResponse, bufferResponse, networkTransport, withTrace } from '../http/transport.js'

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

const likelyNames = ['api_key', 'key', 'token', 'access_token', 'auth_token']

/**
 * Finds the key in the response of the legacy key endpoint, whose field service-api-v1.md section 5 does not name.
 *
 * It is the string under the first likely name, at the top or one level below, otherwise the only string that can be
 * a bearer token (RFC 6750 section 2.1). Throws TtError `rejected` with the names of the fields, never their values.
 */
export function findKey(value: unknown, service: string): string {
  const body = Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value
  const fields = stringFields(body)
  for (const depth of [1, 2]) {
    for (const name of likelyNames) {
      const field = fields.find(({ path }) => path.at(-1) === name && path.length === depth)
      if (field && /^[\x21-\x7e]+$/.test(field.text)) return field.text
    }
  }
  const tokens = fields.filter(({ text }) => /^[\w\-.~+/]+=*$/.test(text))
  const [token] = tokens
  if (token && tokens.length === 1) return token.text
  throw missingKeyError(body, service)
}

/** A string in a response. */
interface Field {
  /** The names of its field and of the fields around it, outermost first. */
  path: string[]
  text: string
}

/** Returns the strings at the top and one level below. A body that is a string has an empty path. */
function stringFields(body: unknown, path: string[] = []): Field[] {
  if (typeof body === 'string') return [{ path, text: body }]
  if (typeof body !== 'object' || body === null || path.length > 1) return []
  return Object.entries(body).flatMap(([name, part]) => stringFields(part, [...path, name]))
}

function missingKeyError(body: unknown, service: string): TtError {
  const names = isObject(body) ? fieldNames(body).slice(0, 20).join(', ') : ''
  const fields = names ? ` (fields: ${names})` : ''
  return new TtError('rejected', `No field in the response of ${service} is clearly the key${fields}.`, {
    hint: 'Ask the operator of the service.',
    nextStep: { action: 'sign_in_without_key' },
  })
}

/** Returns the field names, shortened and without control characters; those of nested objects follow their parent's. */
function fieldNames(body: object, prefix = ''): string[] {
  return Object.entries(body).flatMap(([name, part]) => {
    const path = prefix + name.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 40)
    return prefix === '' && isObject(part) ? fieldNames(part, `${path}.`) : [path]
  })
}
