import { type Scope, scopes } from '../../../api-client/types.js'
import { badRequest, HttpError } from '../../http/http-error.js'
import type { Storage } from '../../storage/storage.js'
import { findApplication, type RegisteredApplication } from '../applications.js'
import { readParameter } from '../form-parameters.js'
import { isRegisteredRedirectUri } from '../redirect-uri.js'

/** A valid authorization request of an application (service-api-v1.md section 5, step 1). */
export interface AuthorizationRequest {
  application: RegisteredApplication
  redirectUri: string
  state: string | undefined
  scopes: Scope[]
  /** S256 (RFC 7636). */
  codeChallenge: string
}

/** An invalid request that is reported to the application at its redirect URI (RFC 6749 section 4.1.2.1). */
export class InvalidAuthorizationRequest extends Error {
  constructor(
    readonly redirectUri: string,
    readonly state: string | undefined,
    readonly code: string,
    /** The error description; undefined when the code is sufficient. */
    message?: string,
  ) {
    super(message)
  }
}

/**
 * Validates the parameters of the authorization endpoint.
 *
 * Throws HttpError 400 for an unknown application or redirect URI, because the browser must not be redirected then (RFC
 * 9700 section 4.11.2), and InvalidAuthorizationRequest for all other problems.
 */
export async function readAuthorizationRequest(
  storage: Storage,
  parameters: URLSearchParams,
): Promise<AuthorizationRequest> {
  const { application, redirectUri } = await findRecipient(storage, parameters)
  const states = parameters.getAll('state')
  const state = states.length === 1 ? states[0] || undefined : undefined
  const invalidRequest = (code: string, message: string) =>
    new InvalidAuthorizationRequest(redirectUri, state, code, message)
  const read = (name: string) => {
    try {
      return readParameter(parameters, name)
    } catch (error) {
      throw error instanceof HttpError ? invalidRequest('invalid_request', error.message) : error
    }
  }
  if (states.length > 1) throw invalidRequest('invalid_request', 'state is repeated.')
  const responseType = read('response_type')
  if (responseType === undefined) throw invalidRequest('invalid_request', 'response_type is missing.')
  if (responseType !== 'code')
    throw invalidRequest('unsupported_response_type', 'response_type must be code.')
  if ((read('response_mode') ?? 'query') !== 'query') {
    throw invalidRequest('invalid_request', 'response_mode must be query.')
  }
  const challenge = read('code_challenge')
  if (challenge === undefined)
    throw invalidRequest('invalid_request', 'code_challenge is missing: PKCE is required.')
  if (read('code_challenge_method') !== 'S256') {
    throw invalidRequest('invalid_request', 'code_challenge_method must be S256.')
  }
  if (!/^[\w-]{43}$/.test(challenge)) {
    throw invalidRequest(
      'invalid_request',
      'code_challenge must be the 43 characters of a SHA-256 in base64url.',
    )
  }
  const requestedScopes = parseScopes(read('scope'))
  if (!requestedScopes)
    throw invalidRequest('invalid_scope', `scope must be ${scopes.join(' or ')}, or both.`)
  return { application, redirectUri, state, scopes: requestedScopes, codeChallenge: challenge }
}

async function findRecipient(storage: Storage, parameters: URLSearchParams) {
  const clientId = readParameter(parameters, 'client_id')
  const redirectUri = readParameter(parameters, 'redirect_uri')
  if (clientId === undefined) throw badRequest('The client_id is missing.')
  const application = isVisibleAscii(clientId) ? await findApplication(storage, clientId) : undefined
  if (!application) throw badRequest('No application with this client_id is registered.')
  if (redirectUri === undefined) throw badRequest('The redirect_uri is missing.')
  if (!isRegisteredRedirectUri(redirectUri, application.redirectUris)) {
    throw badRequest(`${redirectUri} is not a registered redirect URI of ${application.name}.`)
  }
  return { application, redirectUri }
}

/** Whether the text is printable ASCII without spaces, which every database can compare. */
const isVisibleAscii = (text: string) => /^[!-~]+$/.test(text)

/** Returns the scopes of a list separated by spaces, in canonical order; undefined when it is empty or one is unknown. */
function parseScopes(text: string | undefined): Scope[] | undefined {
  const names = text?.split(' ').filter(Boolean) ?? []
  const known = scopes.filter((scope) => names.includes(scope))
  return names.length > 0 && names.every((name) => known.some((scope) => scope === name)) ? known : undefined
}
