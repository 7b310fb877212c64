import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  discoveryRequest,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  type TokenEndpointResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
import { TtError } from '../../../lib/errors.js'
import { isLoopbackHost } from '../issuer.js'

/** An OpenID Connect provider where users sign in, and how it knows this service. */
export interface IdentityProviderSettings {
  issuer: URL
  clientId: string
  /** undefined for a public client. */
  clientSecret: string | undefined
  /** How the sign-in page names the provider. */
  name: string
}

/** A user as the provider describes them. */
export interface Identity {
  issuer: string
  /** Identifies the user for good, unlike the email address (OpenID Connect Core section 5.7). */
  subject: string
  email: string | undefined
  /** Whether the provider has checked that the email address belongs to the user. */
  emailVerified: boolean
}

/** What both steps of a sign-in have in common. */
export interface SignInAttempt {
  state: string
  nonce: string
  codeVerifier: string
  redirectUri: string
}

export interface IdentityProvider {
  name: string
  /** Returns the address at which the user signs in. Rejects if the provider cannot be reached. */
  authorizationUrl(attempt: SignInAttempt): Promise<string>
  /**
   * Returns the user of the response in `callbackUrl`. Rejects with AuthorizationResponseError of oauth4webapi for an error
   * response of the provider, with another error for an invalid response or if the provider cannot be reached.
   */
  identify(callbackUrl: URL, attempt: SignInAttempt): Promise<Identity>
}

/** Throws TtError `usage` for an issuer that is not an https URL; http is accepted on a loopback address. */
export function parseIssuer(text: string, name: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (url && isSafe && !url.search && !url.hash && !url.username) return url
  throw new TtError('usage', `${name}: "${text}" is not an https URL without query.`, {
    hint: 'Use the issuer of the provider, such as https://login.example.com.',
  })
}

const timeoutMs = 10_000
const metadataLifetimeMs = 60 * 60_000

/** Creates the client of a provider. Its metadata are read with the first sign-in, and again after an hour. */
export function createIdentityProvider(settings: IdentityProviderSettings): IdentityProvider {
  const { issuer, clientId, name } = settings
  const client: Client = { client_id: clientId }
  const options = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    [allowInsecureRequests]: issuer.protocol === 'http:',
  })
  let known: { server: AuthorizationServer; readAt: number } | undefined

  async function findServer(): Promise<AuthorizationServer> {
    if (known && performance.now() - known.readAt < metadataLifetimeMs) return known.server
    const server = await processDiscoveryResponse(issuer, await discoveryRequest(issuer, options()))
    known = { server, readAt: performance.now() }
    return server
  }

  async function readEmail(
    server: AuthorizationServer,
    { access_token: token }: TokenEndpointResponse,
    subject: string,
  ): Promise<{ email?: unknown; email_verified?: unknown }> {
    if (server.userinfo_endpoint === undefined) return {}
    const response = await userInfoRequest(server, client, token, options())
    return processUserInfoResponse(server, client, subject, response)
  }

  return {
    name,
    async authorizationUrl({ state, nonce, codeVerifier, redirectUri }) {
      const { authorization_endpoint: endpoint } = await findServer()
      if (endpoint === undefined) throw new Error('The provider has no authorization endpoint.')
      const url = new URL(endpoint)
      const parameters = {
        client_id: clientId,
        response_type: 'code',
        scope: 'openid email',
        redirect_uri: redirectUri,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
      return url.href
    },
    async identify(callbackUrl, { state, nonce, codeVerifier, redirectUri }) {
      const server = await findServer()
      const parameters = validateAuthResponse(server, client, callbackUrl, state)
      const response = await authorizationCodeGrantRequest(
        ...([server, client, clientAuthentication(server, settings), parameters] as const),
        ...([redirectUri, codeVerifier, options()] as const),
      )
      const result = await processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      await validateApplicationLevelSignature(server, response, options())
      const claims = getValidatedIdTokenClaims(result)
      if (!claims) throw new Error('The provider returned no ID token.')
      const { email, email_verified: emailVerified } =
        claims.email === undefined ? await readEmail(server, result, claims.sub) : claims
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: typeof email === 'string' ? email : undefined,
        emailVerified: emailVerified === true,
      }
    },
  }
}

/** Returns how the client authenticates; without metadata, with HTTP Basic (OpenID Connect Discovery section 3). */
function clientAuthentication(
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: AuthorizationServer,
  { clientSecret }: IdentityProviderSettings,
): ClientAuth {
  if (clientSecret === undefined) return None()
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret)
}
