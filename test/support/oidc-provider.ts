import { createServer, type RequestListener } from 'node:http'
import { onTestFinished, vi } from 'vitest'
import { listenOnFreePort } from './ports.js'

/** The parts of oidc-provider that are used; the package has no types. */
interface Provider {
  callback(): RequestListener
  AccessToken: { find(token: string): Promise<{ scope: string; accountId: string } | undefined> }
}
type ProviderClass = new (issuer: string, configuration: object) => Provider

export interface OidcProvider {
  origin: string
  client: { id: string; secret: string }
  /** Returns the account and scope of an access token, or undefined if it is not valid. */
  findToken(token: string): Promise<{ scope: string; accountId: string } | undefined>
}

export interface ProviderOptions {
  /** Without the port, which loopback addresses may choose. */
  redirectUri?: string
  /** How the client authenticates. */
  authentication?: 'client_secret_post' | 'client_secret_basic' | 'none'
  /** Returns the claims about an account that signs in. */
  claims?: (account: string) => Record<string, unknown>
  /** Whether the ID token has the claims; otherwise only the userinfo endpoint does. */
  hasClaimsInIdToken?: boolean
}

/**
 * Starts oidc-provider, a third-party authorization server: requires PKCE, rotates refresh tokens, has one confidential
 * client with client_secret_post, and accepts any user and password. It stops with the test.
 */
export async function startOidcProvider({
  redirectUri = 'http://127.0.0.1/callback',
  authentication = 'client_secret_post',
  claims = () => ({}),
  hasClaimsInIdToken = false,
}: ProviderOptions = {}): Promise<OidcProvider> {
  // It warns that this configuration is not for production.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => {})
  const name = 'oidc-provider'
  const { default: Provider } = (await import(name)) as { default: ProviderClass }
  const server = createServer()
  onTestFinished(() => {
    vi.restoreAllMocks()
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`
  const client = { id: 'tt', secret: 's e&cret/+%' }
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: client.id,
        ...(authentication === 'none' ? {} : { client_secret: client.secret }),
        token_endpoint_auth_method: authentication,
        application_type: 'native',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    scopes: ['service:read', 'service:write'],
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: !hasClaimsInIdToken,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({ sub: accountId, ...claims(accountId) }),
    }),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    ttl: { AccessToken: 7200 },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
  })
  server.on('request', provider.callback())
  return { origin, client, findToken: (token) => provider.AccessToken.find(token) }
}

/** Signs in, consents and follows redirects as a browser does; returns the final redirect URI. */
export async function authorizeInBrowser(
  authorizationUrl: string,
  redirectUri: string,
  login = 'ada',
): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(authorizationUrl)
  let form: URLSearchParams | undefined
  for (let steps = 0; steps < 15; steps++) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(key)
      else cookies.set(key, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    form = undefined
    if (location !== null) {
      url = new URL(location, url)
      if (location.startsWith(redirectUri)) return url
      continue
    }
    const [, action] = /<form[^>]*action="([^"]+)"/.exec(page) ?? []
    const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(page) ?? []
    if (action === undefined) throw new Error(`${response.status} and no form at ${url}: ${page}`)
    url = new URL(action)
    form = new URLSearchParams({ prompt, ...(prompt === 'login' ? { login, password: 'x' } : {}) })
  }
  throw new Error('The sign-in did not finish after 15 steps.')
}
