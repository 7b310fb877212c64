import { scopes } from '../../api-client/types.js'
import { type Html, html } from '../../lib/text/html.js'
import { document } from '../../lib/text/page.js'
import { issueLegacyKey } from '../accounts/legacy-key.js'
import type { PasswordCost } from '../accounts/passwords.js'
import type { App } from '../http/app.js'
import { clientAddress, type TrustedProxies } from '../http/client-address.js'
import type { Connection, HostedApp } from '../http/listener.js'
import { acceptsPages, type RequestTrace } from '../http/request-context.js'
import {
  errorResponse,
  HttpError,
  type HttpResponse,
  jsonResponse,
  methodNotAllowedResponse,
  serverError,
  toFetchResponse,
} from '../http/response.js'
import type { Storage } from '../storage/storage.js'
import { type Application, isRegisteredRedirectUri, listApplications } from './applications.js'
import { errorPageResponse, showAuthorization, submitAuthorization } from './authorize/authorize.js'
import { pageResponse } from './authorize/sign-in-pages.js'
import {
  finishProviderSignIn,
  providerCallbackPath,
  providerPath,
  startProviderSignIn,
} from './identity-provider/provider-sign-in.js'
import { requestOrigin } from './issuer.js'
import type { OAuthHandler, OAuthRequestContext } from './oauth-request-context.js'
import { grantTokens, OAuthError, oauthErrorResponse, revokeTokens } from './token-endpoint.js'

export interface AuthorizationServerOptions {
  storage: Storage
  clock: () => Date
  /** The public origin of the service; undefined: the origin of each request, if it belongs to this service. */
  publicUrl: string | undefined
  /** The host that the service listens on. */
  host: string
  /** The proxies that add the address of the client to X-Forwarded-For; undefined if there is none. */
  trustedProxies: TrustedProxies | undefined
  /** The cost of checking the password of an unknown account; default the full one. */
  passwordCost?: PasswordCost
  /** Called with every server error. */
  onError?: (error: unknown, trace?: RequestTrace) => void
  /** Called with the outcome of every attempt to sign in with a password. */
  onSignIn?: OAuthRequestContext['onSignIn']
  /** The OpenID Connect provider where users can sign in instead of with a password. */
  identityProvider?: OAuthRequestContext['identityProvider']
}

interface Endpoint {
  methods: Readonly<Record<string, OAuthHandler>>
  /** Returns the response for an error. */
  toErrorResponse: (error: HttpError | OAuthError) => HttpResponse
}

/** The redirect URI of `tt login`, with any port. */
const redirectUri = 'http://127.0.0.1/callback'

/** GET /: a page that says what the service is and how to sign in. */
async function showStartPage({ issuer, storage }: OAuthRequestContext): Promise<HttpResponse> {
  const applications = await listApplications(storage)
  const usable = applications.filter(({ redirect_uris: uris }) => isRegisteredRedirectUri(redirectUri, uris))
  return pageResponse(
    document(
      'Time tracking with tt',
      html`
<h1>Time tracking with tt</h1>
<p>This is the address of a time-tracking service. You use it in a terminal, with the program <code>tt</code>.</p>
<ol class="steps">
<li>Install <code>tt</code>, with Node 20.19 or later:
<pre>npm install -g tt-time-tracker</pre></li>
${signInStep(issuer, usable)}
<li>List your tasks, and start the timer for one of them:
<pre>tt tasks
tt start Client/Project/Task</pre></li>
</ol>
<p class="quiet last"><code>tt help</code> explains everything else.</p>`,
    ),
  )
}

/**
 * Returns the step with the command to sign in. It contains the client ID of the only application if that is public: then
 * the ID is no secret (RFC 6749 section 2.2), and there is nothing to ask the administrator for.
 *
 * @param applications those with which `tt` can sign in
 */
function signInStep(issuer: string, applications: readonly Application[]): Html {
  const command = `tt login --base-url ${issuer}/api/v1`
  const [first, second] = applications
  if (!first) {
    return html`<li>Sign in. No application is registered for <code>tt</code> yet. The administrator registers one, and gives you its client ID:
<pre>tt admin app add tt --public --redirect-uri ${redirectUri}</pre>
Then run this command; your browser opens. Leave the prompt for a client secret empty:
<pre>${command}</pre></li>`
  }
  if (!second && first.public) {
    return html`<li>Sign in; your browser opens. Leave the prompt for a client secret empty:
<pre>${command} --client-id ${first.client_id}</pre></li>`
  }
  const secret = applications.every(({ public: isPublic }) => isPublic)
    ? html`The client ID comes from your administrator. Leave the prompt for a client secret empty; your browser opens:`
    : html`The client ID and the client secret come from your administrator; your browser opens:`
  return html`<li>Sign in. ${secret}
<pre>${command}</pre></li>`
}

/** The endpoints for programs are described in `openapi/server-operations.ts`. */
export const endpoints = {
  '/': { methods: { GET: showStartPage }, toErrorResponse: toErrorPage },
  '/oauth/authorize': {
    methods: { GET: showAuthorization, POST: submitAuthorization },
    toErrorResponse: toErrorPage,
  },
  [providerPath]: { methods: { GET: startProviderSignIn }, toErrorResponse: toErrorPage },
  [providerCallbackPath]: { methods: { GET: finishProviderSignIn }, toErrorResponse: toErrorPage },
  '/oauth/token': { methods: { POST: grantTokens }, toErrorResponse: toOAuthErrorResponse },
  '/oauth/revoke': { methods: { POST: revokeTokens }, toErrorResponse: toOAuthErrorResponse },
  '/.well-known/oauth-authorization-server': {
    methods: { GET: showMetadata },
    toErrorResponse: (error) => errorResponse(asHttpError(error)),
  },
  '/api/v1/authenticate': {
    methods: { POST: issueLegacyKey },
    toErrorResponse: (error) => errorResponse(asHttpError(error)),
  },
  '/openapi.json': {
    methods: { GET: async (context) => (await loadDescription()).showDocument(context) },
    toErrorResponse: (error) => errorResponse(asHttpError(error)),
  },
  '/docs': {
    methods: { GET: async (context) => (await loadDescription()).showPage(context) },
    toErrorResponse: toErrorPage,
  },
} satisfies Readonly<Record<string, Endpoint>>

const loadDescription = () => import('../openapi/endpoints.js')

export const endpointPaths: readonly string[] = Object.keys(endpoints)

/**
 * Adds the OAuth endpoints, the endpoint for legacy keys (service-api-v1.md section 5) and the start page to the service.
 */
export function withAuthorizationServer(
  app: Pick<App, 'serve'>,
  options: AuthorizationServerOptions,
): HostedApp {
  return {
    serve: app.serve,
    async fetch(request, connection) {
      const endpoint = findEndpoint(new URL(request.url).pathname)
      const handled = endpoint
        ? handle(endpoint, request, connection, options)
        : app.serve(request, connection)
      const response = acceptsPages(request.headers.get('Accept'))
        ? withErrorPage(await handled)
        : await handled
      return toFetchResponse(request.method === 'HEAD' ? { ...response, body: null } : response)
    },
  }
}

/** Returns the page for an error with a JSON body, or without one; any other response as it is. */
function withErrorPage(response: HttpResponse): HttpResponse {
  const { status, headers, body } = response
  const isPage = headers['Content-Type']?.startsWith('text/html') === true
  if (status < 400 || isPage || (body !== null && typeof body !== 'string')) return response
  const { message } = body ? (JSON.parse(body) as { message?: unknown }) : {}
  const { 'Content-Type': _, ...more } = headers
  const error = new HttpError(status, '', problemOf(status, message), {}, more)
  return errorPageResponse(error, { isSignIn: false })
}

function problemOf(status: number, message: unknown): string {
  if (status === 401) return 'This address requires a bearer token. It is for programs, such as tt.'
  return typeof message === 'string' ? message : 'The service does not accept this request.'
}

function findEndpoint(path: string): Endpoint | undefined {
  const known: Readonly<Record<string, Endpoint>> = endpoints
  return Object.hasOwn(known, path) ? known[path] : undefined
}

async function handle(
  { methods, toErrorResponse }: Endpoint,
  request: Request,
  connection: Connection,
  options: AuthorizationServerOptions,
): Promise<HttpResponse> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!handler) return methodNotAllowedResponse(method, Object.keys(methods))
  try {
    return await handler(createRequestContext(request, connection, options))
  } catch (error) {
    if (error instanceof HttpError || error instanceof OAuthError) return toErrorResponse(error)
    options.onError?.(error, connection.trace)
    return toErrorResponse(serverError(error))
  }
}

function createRequestContext(
  request: Request,
  connection: Connection,
  options: AuthorizationServerOptions,
): OAuthRequestContext {
  const { storage, clock, publicUrl, host, trustedProxies } = options
  const url = new URL(request.url)
  const issuer = publicUrl ?? requestOrigin(url, host, connection)
  if (issuer === undefined) {
    const message = `The service is not configured for the address ${url.host}. Its administrator must set its public URL.`
    throw new HttpError(421, 'misdirected', message)
  }
  const forwarded = request.headers.get('X-Forwarded-For')
  const address = clientAddress(forwarded, connection.remoteAddress, trustedProxies)
  return {
    ...{ request, url, storage, issuer, address },
    now: clock().getTime(),
    passwordCost: options.passwordCost,
    onSignIn: options.onSignIn,
    identityProvider: options.identityProvider,
    reportError: (error) => options.onError?.(error, connection.trace),
  }
}

/** Returns the response in the format of RFC 6749 section 5.2, which has one code for all invalid requests. */
function toOAuthErrorResponse(error: HttpError | OAuthError): HttpResponse {
  if (error instanceof OAuthError) return oauthErrorResponse(error)
  const status = error.status === 415 ? 400 : error.status
  const code = status < 500 ? 'invalid_request' : 'server_error'
  const response = oauthErrorResponse(new OAuthError(status, code, error.message))
  return { ...response, headers: { ...response.headers, ...error.headers } }
}

function toErrorPage(error: HttpError | OAuthError): HttpResponse {
  return errorPageResponse(asHttpError(error), { isSignIn: true })
}

const asHttpError = (error: HttpError | OAuthError) =>
  error instanceof HttpError ? error : new HttpError(error.status, error.code, error.message)

/** GET /.well-known/oauth-authorization-server (RFC 8414 section 3). */
async function showMetadata({ issuer }: OAuthRequestContext): Promise<HttpResponse> {
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
