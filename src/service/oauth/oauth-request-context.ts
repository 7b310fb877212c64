import type { PasswordCost } from '../accounts/passwords.js'
import { readText } from '../http/request-context.js'
import { badRequest, HttpError, type HttpResponse } from '../http/response.js'
import type { Storage } from '../storage/storage.js'
import type { IdentityProvider } from './identity-provider/identity-provider.js'

/** The input of the handlers of OAuth endpoints. */
export interface OAuthRequestContext {
  request: Request
  url: URL
  storage: Storage
  /** The origin of the service, which identifies the authorization server (RFC 8414 section 2). */
  issuer: string
  /** The network address of the client, which limits attempts to sign in. */
  address: string
  now: number
  /** The cost of checking the password of an unknown account; undefined: the full one. */
  passwordCost: PasswordCost | undefined
  /** Called with the outcome of an attempt to sign in with a password. */
  onSignIn: ((outcome: 'success' | 'wrong' | 'blocked') => void) | undefined
  /** The OpenID Connect provider where users can sign in instead of with a password. */
  identityProvider: IdentityProvider | undefined
  /** Called with an error that the response does not describe. */
  reportError(error: unknown): void
}

export type OAuthHandler = (context: OAuthRequestContext) => Promise<HttpResponse>

/** Reads the fields of a form (application/x-www-form-urlencoded). Throws HttpError 415 for another type, 413 above 1 MiB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('Content-Type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new HttpError(415, 'unsupported_media_type', 'The body must be application/x-www-form-urlencoded.')
  }
  return new URLSearchParams(await readText(request))
}

/**
 * Returns the value of a parameter, or undefined if it is missing or empty. Throws HttpError 400 if it is repeated (RFC
 * 6749 section 3.1).
 */
export function readParameter(parameters: URLSearchParams, name: string): string | undefined {
  const [value, second] = parameters.getAll(name)
  if (second !== undefined) throw badRequest(`${name} is repeated.`)
  return value || undefined
}
