import { scopes } from '../../api-client/types.js'
import { type HttpResponse, jsonResponse } from '../http/response.js'
import type { OAuthRequestContext } from './oauth-request-context.js'

/** GET /.well-known/oauth-authorization-server (RFC 8414 section 3). */
export async function showMetadata({ issuer }: OAuthRequestContext): Promise<HttpResponse> {
  const authentication = ['client_secret_basic', 'client_secret_post', 'none']
  return jsonResponse({
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authentication,
    revocation_endpoint_auth_methods_supported: authentication,
    authorization_response_iss_parameter_supported: true,
  })
}
