import { type Scope, scopes } from '../../../api/types.js'
import { badRequest, HttpError } from '../../http/errors.js'
import type { Storage } from '../../storage/storage.js'
import { findApplication, type RegisteredApplication } from '../applications.js'
import { singleValue } from '../form.js'
import { isRegisteredRedirectUri } from '../redirect-uri.js'

/** What an application asks a user for (service-api-v1.md section 5, step 1). */
export interface AuthorizationRequest {
  application: RegisteredApplication
  redirectUri: string
  state: string | undefined
  scopes: Scope[]
  /** S256 (RFC 7636). */
  codeChallenge: string
}

/** A request that the application is told about at its redirect URI (RFC 6749 section 4.1.2.1). */
export class InvalidAuthorizationRequest extends Error {
  constructor(
    readonly redirectUri: string,
    readonly state: string | undefined,
    readonly code: string,
    /** Left out where the code says it all. */
    message?: string,
  ) {
    super(message)
  }
}

/**
 * Reads the parameters of the authorization endpoint.
 *
 * Throws HttpError 400 when application or redirect URI are not known, in which case nobody may be redirected
 * (RFC 9700 section 4.11.2), and RefusedRequest for everything else.
 */
export async function readAuthorizationRequest(
  storage: Storage,
  parameters: URLSearchParams,
): Promise<AuthorizationRequest> {
  const { application, redirectUri } = await recipient(storage, parameters)
  const states = parameters.getAll('state')
  const state = states.length === 1 ? states[0] || undefined : undefined
  const refuse = (code: string, message: string) =>
    new InvalidAuthorizationRequest(redirectUri, state, code, message)
  const one = (name: string) => {
    try {
      return singleValue(parameters, name)
    } catch (error) {
      throw error instanceof HttpError ? refuse('invalid_request', error.message) : error
    }
  }
  if (states.length > 1) throw refuse('invalid_request', 'state is there twice.')
  const responseType = one('response_type')
  if (responseType === undefined) throw refuse('invalid_request', 'response_type is missing.')
  if (responseType !== 'code') throw refuse('unsupported_response_type', 'response_type must be code.')
  if ((one('response_mode') ?? 'query') !== 'query') {
    throw refuse('invalid_request', 'response_mode must be query.')
  }
  const challenge = one('code_challenge')
  if (challenge === undefined) throw refuse('invalid_request', 'code_challenge is missing: PKCE is required.')
  if (one('code_challenge_method') !== 'S256') {
    throw refuse('invalid_request', 'code_challenge_method must be S256.')
  }
  if (!/^[\w-]{43}$/.test(challenge)) {
    throw refuse('invalid_request', 'code_challenge must be the 43 characters of a SHA-256 in base64url.')
  }
  const asked = scopesIn(one('scope'))
  if (!asked) throw refuse('invalid_scope', `scope must name ${scopes.join(' or ')}, or both.`)
  return { application, redirectUri, state, scopes: asked, codeChallenge: challenge }
}

async function recipient(storage: Storage, parameters: URLSearchParams) {
  const clientId = singleValue(parameters, 'client_id')
  const redirectUri = singleValue(parameters, 'redirect_uri')
  if (clientId === undefined) throw badRequest('The client_id is missing.')
  const application = isWord(clientId) ? await findApplication(storage, clientId) : undefined
  if (!application) throw badRequest('No application with this client_id is registered here.')
  if (redirectUri === undefined) throw badRequest('The redirect_uri is missing.')
  if (!isRegisteredRedirectUri(redirectUri, application.redirectUris)) {
    throw badRequest(`${redirectUri} is not a redirect URI that ${application.name} has registered.`)
  }
  return { application, redirectUri }
}

/** What no database has trouble with. */
const isWord = (text: string) => /^[!-~]+$/.test(text)

/** The scopes in a list separated by spaces, in the order in which they are declared; undefined when one is unknown. */
function scopesIn(text: string | undefined): Scope[] | undefined {
  const words = text?.split(' ').filter(Boolean) ?? []
  const known = scopes.filter((scope) => words.includes(scope))
  return words.length > 0 && words.every((word) => known.some((scope) => scope === word)) ? known : undefined
}
