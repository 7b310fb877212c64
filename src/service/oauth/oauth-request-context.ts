import type { PasswordCost } from '../accounts/password-hash.js'
import type { HttpResponse } from '../http/response.js'
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
