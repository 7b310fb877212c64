import type { Scope } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import type { Storage } from '../storage/storage.js'
import { HttpError, notFound } from './http-error.js'
import type { ApiRequest, RequestLike } from './request-context.js'
import {
  errorResponse,
  type HttpResponse,
  insufficientScopeResponse,
  methodNotAllowedResponse,
  toFetchResponse,
  unauthorizedResponse,
} from './response.js'
import { collections, type Methods, records } from './routes.js'

/** The user of a request and the scopes of its token. */
export interface AuthenticatedUser {
  userId: number
  scopes: ReadonlySet<Scope>
}

/** Resolves to the user of a bearer token; undefined for an unknown, expired or revoked token, and for an empty text. */
export type Authenticate = (token: string) => Promise<AuthenticatedUser | undefined>

export interface AppOptions {
  storage: Pick<Storage, 'queries'>
  authenticate: Authenticate
  clock: () => Date
  /** The public origin of the service, for the addresses in responses; undefined: the origin of each request. */
  publicUrl?: string | undefined
  /** Called with every server error; the response is 500 (507 when a disk is full). */
  onError?: (error: unknown) => void
}

export interface App {
  /** Handles a request from a socket. */
  fetch(request: Request): Promise<Response>
  /** Handles a request from this process; `headers` must contain the Content-Length of a body. */
  respond(request: RequestLike): Promise<HttpResponse>
}

/** Announces that repeated creates with one Idempotency-Key create one record (structured header, RFC 9651). */
const supportedHeader = { 'Idempotency-Key-Supported': '?1' }

/** Returns the service (service-api-v1.md) over a storage, under /api/v1. */
export function createApp(options: AppOptions): App {
  const respond = (request: RequestLike) =>
    handle(request, options).catch((error: unknown) => errorResponse(toHttpError(error, options)))
  return {
    respond,
    async fetch(request) {
      const { status, headers, body } = await respond(request)
      return toFetchResponse({
        status,
        headers: { ...headers, ...supportedHeader },
        body: request.method === 'HEAD' ? null : body,
      })
    },
  }
}

async function handle(raw: RequestLike, options: AppOptions): Promise<HttpResponse> {
  const { storage, authenticate, clock } = options
  const request = parseRequest(raw, options.publicUrl)
  const methods = findMethods(request)
  if (!methods) throw notFound('No resource has this path.')
  const token = parseBearerToken(raw.headers.get('Authorization'))
  const user = await authenticate(token ?? '')
  if (!user) return unauthorizedResponse(token !== undefined)
  const method = raw.method === 'HEAD' ? 'GET' : raw.method
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!handler) return methodNotAllowedResponse(method, Object.keys(methods))
  const scope: Scope = method === 'GET' ? 'service:read' : 'service:write'
  if (!user.scopes.has(scope)) return insufficientScopeResponse(scope)
  const onError = (error: unknown) => options.onError?.(error)
  return handler({ request, queries: storage.queries, userId: user.userId, now: clock(), onError })
}

function parseRequest(raw: RequestLike, publicUrl: string | undefined): ApiRequest & { collection: string } {
  const { origin, pathname, search, searchParams } = new URL(raw.url)
  const [, collection = '', id] = /^\/api\/v1(\/.*?)(?:\/([0-9]+))?$/.exec(pathname) ?? []
  const url = `${publicUrl ?? origin}${pathname}${search}`
  return { raw, collection, id, url, query: (name) => searchParams.get(name) ?? undefined }
}

function findMethods({
  collection,
  id,
}: {
  collection: string
  id: string | undefined
}): Methods | undefined {
  const routes = id === undefined ? collections : records
  return Object.hasOwn(routes, collection) ? routes[collection] : undefined
}

function toHttpError(error: unknown, { onError }: AppOptions): HttpError {
  if (error instanceof HttpError) return error
  onError?.(error)
  if (!(error instanceof TtError)) return new HttpError(500, 'internal', 'The service failed.')
  return new HttpError(isDiskFull(error) ? 507 : 500, 'internal', error.message)
}

function isDiskFull({ message, cause }: TtError): boolean {
  return /disk is full/i.test(`${message} ${cause instanceof Error ? cause.message : ''}`)
}

/** Returns the bearer token of an Authorization header (RFC 6750 section 2.1). */
function parseBearerToken(header: string | null): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? '')?.[1]
}
