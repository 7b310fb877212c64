import { type AuthorizationServer, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'
import { TtError } from '../../../lib/errors.js'
import { displayUrl, readBaseUrl } from '../../http/base-url.js'
import { type OAuthClient, requestOptions } from './oauth-client.js'
import { unavailableError } from './oauth-error.js'

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
