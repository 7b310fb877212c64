import {
  type AuthorizationServer,
  allowInsecureRequests,
  type CustomFetchOptions,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi'
import { TtError } from '../../../lib/errors.js'
import { displayUrl, readBaseUrl } from '../../http/base-url.js'
import { networkError, withTimeout } from '../../http/network-errors.js'
import { isJson } from '../../http/status-errors.js'
import { type BufferedResponse, bufferResponse, networkTransport, withTrace } from '../../http/transport.js'
import { unavailableError, withoutSecrets } from './oauth-error.js'

/** An application at an authorization server. */
export interface OAuthClient {
  /** {auth_url} of service-api-v1.md section 1. */
  authUrl: string
  /** undefined for a legacy key, which belongs to no application. */
  clientId: string | undefined
  /** null for a public client. */
  clientSecret: string | null
  insecureHttp?: boolean
  userAgent: string
  /** Receives method, path, status and milliseconds of each request. */
  trace?(line: string): void
  /** Time limit of one request in milliseconds; 10,000 by default. */
  timeoutMs?: number
}

/**
 * Returns the options with which oauth4webapi sends requests through the HTTP layer of this program, with its time limit
 * and trace. Redirects are not followed: secrets are never sent to their target. Throws like `networkError` without a
 * response. Only a success with JSON may contain secrets of the request.
 */
export function requestOptions(client: OAuthClient) {
  return {
    // The transport itself rejects `http:` to other machines.
    [allowInsecureRequests]: true,
    [customFetch]: async (url: string, request: Request): Promise<Response> => {
      const { status, headers, text } = await send(client, url, request)
      const isSuccess = status >= 200 && status <= 299 && isJson(text)
      return new Response((isSuccess ? text : withoutSecrets(text, secretsIn(client, request))) || null, {
        status: Math.min(status, 599), // RFC 9110 section 15: an invalid status is a 5xx.
        headers: { 'retry-after': headers.get('retry-after') ?? '' },
      })
    },
    headers: { 'user-agent': client.userAgent },
  }
}

type Request = CustomFetchOptions<string, URLSearchParams | undefined>

function send(
  { insecureHttp, trace, timeoutMs = 10_000 }: OAuthClient,
  url: string,
  { method, headers, body }: Request,
): Promise<BufferedResponse> {
  const transport = withTrace(networkTransport(insecureHttp), trace)
  const request = { method, headers, body: body?.toString() }
  return withTimeout(timeoutMs, async (signal) =>
    bufferResponse(await transport(url, { ...request, signal })),
  ).catch((error) => {
    throw networkError(error, new URL(url).origin)
  })
}

/** Returns the secrets in a request. The credentials of HTTP Basic contain the client secret encoded as in a form. */
function secretsIn({ clientSecret }: OAuthClient, { headers, body }: Request) {
  const credentials = headers.authorization?.replace('Basic ', '') ?? ''
  const [, encodedSecret] = Buffer.from(credentials, 'base64').toString().split(':')
  const fields = ['code', 'code_verifier', 'refresh_token', 'token'].map((name) => body?.get(name))
  return [clientSecret, credentials, encodedSecret, ...fields]
}

/** Addresses and properties of an authorization server. */
export interface Endpoints {
  authorization: string
  token: string
  /** undefined if tokens cannot be revoked. Without metadata, the usual path. */
  revocation: string | undefined
  /** undefined if the server has no metadata. */
  issuer: string | undefined
  /** Every authorization response names the issuer (RFC 9207 section 3); one without it is from another server. */
  supportsIss: boolean
  /** The server accepts client secrets only with HTTP Basic. */
  requiresBasic: boolean
}

/**
 * Finds the endpoints: those in the server's metadata (RFC 8414) if it has any, otherwise those of service-api-v1.md
 * section 5. Metadata with another issuer or with an endpoint of another origin is ignored (RFC 8414 section 3.3; RFC 9700
 * section 4.4): it could send secrets to another server.
 *
 * Throws TtError `unreachable` without a response, `rejected` when the server does not support PKCE with S256.
 */
export async function discover(client: OAuthClient): Promise<Endpoints> {
  const base = readBaseUrl(client.authUrl, client.insecureHttp)
  const response = await discoveryRequest(base, { algorithm: 'oauth2', ...requestOptions(client) })
  if ([429, 502, 503, 504].includes(response.status)) throw await unavailableError(client.authUrl, response)
  // An issuer with a path may end with a slash, which the address of its metadata never contains.
  const metadata = await processDiscoveryResponse(base, response.clone())
    .catch(() => processDiscoveryResponse(new URL(`${displayUrl(base)}/`), response))
    .catch(() => undefined)
  return (metadata && endpointsIn(metadata, base)) ?? documentedEndpoints(base)
}

/** Returns the endpoints in the metadata; undefined if they are not of the same origin. */
function endpointsIn(metadata: AuthorizationServer, base: URL): Endpoints | undefined {
  // oauth4webapi does not check the types of the metadata.
  const ownEndpoint = (address: unknown) =>
    typeof address === 'string' && URL.canParse(address) && new URL(address).origin === base.origin
      ? address
      : undefined
  const authorization = ownEndpoint(metadata.authorization_endpoint)
  const token = ownEndpoint(metadata.token_endpoint)
  if (authorization === undefined || token === undefined) return undefined
  const challengeMethods = metadata.code_challenge_methods_supported
  if (Array.isArray(challengeMethods) && !challengeMethods.includes('S256')) {
    throw new TtError('rejected', `The service at ${displayUrl(base)} does not support PKCE with S256.`, {
      hint: 'tt requires it. Ask the operator of the service.',
    })
  }
  const secretMethods = metadata.token_endpoint_auth_methods_supported
  return {
    authorization,
    token,
    revocation: ownEndpoint(metadata.revocation_endpoint),
    issuer: metadata.issuer,
    supportsIss: metadata.authorization_response_iss_parameter_supported === true,
    requiresBasic:
      Array.isArray(secretMethods) &&
      secretMethods.includes('client_secret_basic') &&
      !secretMethods.includes('client_secret_post'),
  }
}

function documentedEndpoints(base: URL): Endpoints {
  const root = displayUrl(base)
  return {
    authorization: `${root}/oauth/authorize`,
    token: `${root}/oauth/token`,
    // service-api-v1.md does not name this endpoint. This is the path of Doorkeeper, for example.
    revocation: `${root}/oauth/revoke`,
    issuer: undefined,
    supportsIss: false,
    requiresBasic: false,
  }
}
