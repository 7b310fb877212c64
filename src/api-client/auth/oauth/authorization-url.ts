/** The parameters of an authorization request (service-api-v1.md section 5, step 1). */
export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  /** Separated by spaces. */
  scope: string
  state: string
  challenge: string
}

/**
 * Returns the address to open in the browser (RFC 6749 section 4.1.1, RFC 7636 section 4.3).
 *
 * Preserves an existing query of the endpoint (RFC 6749 section 3.1). Encodes spaces as %20, which every server decodes,
 * and not as `+`.
 */
export function authorizationUrl(endpoint: string, request: AuthorizationRequest): string {
  const url = new URL(endpoint)
  const added = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scope,
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  })
  url.search = [url.search.slice(1), added.toString().replaceAll('+', '%20')].filter(Boolean).join('&')
  url.hash = ''
  return url.href
}
