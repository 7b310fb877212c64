import { issueLegacyKey } from '../accounts/legacy-key.js'
import type { App } from '../http/app.js'
import { HttpError } from '../http/errors.js'
import type { Connection, HostedApp } from '../http/listener.js'
import {
  errorResponse,
  type HttpResponse,
  methodNotAllowedResponse,
  toFetchResponse,
} from '../http/response.js'
import type { Storage } from '../storage/storage.js'
import { errorPageResponse, showAuthorization, submitAuthorization } from './authorize/authorize.js'
import { deleteExpired } from './grants/expiry.js'
import { clientAddress, requestOrigin } from './issuer.js'
import { showMetadata } from './metadata.js'
import type { OAuthHandler, OAuthRequestContext } from './request-context.js'
import { grantTokens, OAuthError, oauthErrorResponse, revokeTokens } from './token-endpoint.js'

export interface AuthorizationServerOptions {
  storage: Storage
  clock: () => Date
  /** The origin that the world knows the service by; undefined: the one that a request names, if it is our own. */
  publicUrl: string | undefined
  /** The host that the service listens on. */
  host: string
  /** Whether a proxy in front says in X-Forwarded-For who calls. */
  trustProxy: boolean
  /** Told of every error that is not the client's. */
  onError?: (error: unknown) => void
}

interface Endpoint {
  methods: Readonly<Record<string, OAuthHandler>>
  /** How it tells of an error. */
  explain: (error: HttpError | OAuthError) => HttpResponse
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  '/oauth/authorize': {
    methods: { GET: showAuthorization, POST: submitAuthorization },
    explain: (error) => errorPageResponse(asHttpError(error)),
  },
  '/oauth/token': { methods: { POST: grantTokens }, explain: explainOAuth },
  '/oauth/revoke': { methods: { POST: revokeTokens }, explain: explainOAuth },
  '/.well-known/oauth-authorization-server': {
    methods: { GET: showMetadata },
    explain: (error) => errorResponse(asHttpError(error)),
  },
  '/api/v1/authenticate': {
    methods: { POST: issueLegacyKey },
    explain: (error) => errorResponse(asHttpError(error)),
  },
}

/** The service with the endpoints by which people sign in to it (service-api-v1.md section 5). */
export function withAuthorizationServer(
  app: Pick<App, 'fetch'>,
  options: AuthorizationServerOptions,
): HostedApp {
  const tidy = tidying(options)
  return {
    async fetch(request, connection) {
      const path = pathOf(request.url)
      const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined
      if (!endpoint) return app.fetch(request)
      await tidy()
      const reply = await answer(endpoint, request, connection, options)
      return toFetchResponse(request.method === 'HEAD' ? { ...reply, body: null } : reply)
    },
  }
}

async function answer(
  { methods, explain }: Endpoint,
  request: Request,
  connection: Connection,
  options: AuthorizationServerOptions,
): Promise<HttpResponse> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!handler) return methodNotAllowedResponse(method, Object.keys(methods))
  try {
    return await handler(callOf(request, connection, options))
  } catch (error) {
    if (error instanceof HttpError || error instanceof OAuthError) return explain(error)
    options.onError?.(error)
    return explain(new HttpError(500, 'internal', 'The service failed.'))
  }
}

function callOf(
  request: Request,
  connection: Connection,
  options: AuthorizationServerOptions,
): OAuthRequestContext {
  const { storage, clock, publicUrl, host, trustProxy } = options
  const url = new URL(request.url)
  const issuer = publicUrl ?? requestOrigin(url, host, connection)
  if (issuer === undefined) {
    const message = `This service does not know itself as ${url.host}. Its administrator can say so with --public-url.`
    throw new HttpError(421, 'misdirected', message)
  }
  const address = clientAddress(request, connection, trustProxy)
  return { request, url, storage, issuer, address, now: clock().getTime() }
}

/** RFC 6749 section 5.2: what is wrong with a request has one name there. */
function explainOAuth(error: HttpError | OAuthError): HttpResponse {
  if (error instanceof OAuthError) return oauthErrorResponse(error)
  const status = error.status === 415 ? 400 : error.status
  return oauthErrorResponse(
    new OAuthError(status, status < 500 ? 'invalid_request' : 'server_error', error.message),
  )
}

const asHttpError = (error: HttpError | OAuthError) =>
  error instanceof HttpError ? error : new HttpError(error.status, error.code, error.message)

/** The path of an absolute URL, without the work of taking all of it apart: every request comes through here. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.slice(start).search(/[?#]/)
  return end < 0 ? url.slice(start) : url.slice(start, start + end)
}

const tidyEveryMs = 60 * 60_000

/** Has what is over forgotten once an hour, when somebody comes by. */
function tidying({ storage, clock, onError }: AuthorizationServerOptions): () => Promise<void> {
  let lastMs = Number.NEGATIVE_INFINITY
  return async () => {
    const now = clock().getTime()
    if (now - lastMs < tidyEveryMs) return
    lastMs = now
    // What is over has no effect even where it stays: the request goes on.
    await deleteExpired(storage, now).catch((error: unknown) => onError?.(error))
  }
}
