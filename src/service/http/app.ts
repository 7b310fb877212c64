import type { AuthenticatedUser, Authentication } from '../accounts/authentication.js'
import type { Storage } from '../storage/storage.js'
import type { ListOptions } from './list.js'
import type { Connection } from './listener.js'
import type { RequestLike, RequestTrace, Turns } from './request-context.js'
import {
  errorResponse,
  HttpError,
  type HttpResponse,
  insufficientScopeResponse,
  methodNotAllowedResponse,
  notFound,
  serverError,
  toFetchResponse,
  tooManyRequests,
  unauthorizedResponse,
} from './response.js'
import { findRoute, scopeOf } from './routes.js'

export interface AppOptions extends Authentication {
  storage: Pick<Storage, 'queries'>
  clock: () => Date
  /** Whether all users see all projects, whatever the visibility of the company; default false. */
  seesEverything?: boolean
  /** The public origin of the service, for the addresses in responses; undefined: the origin of each request. */
  publicUrl?: string | undefined
  /** Upper bound for the records of a list in a response to a socket; no limit by default. */
  maxListRecords?: number | undefined
  /** How long a request waits while its user has many others in progress, in milliseconds; default 2,000. */
  maxWaitMs?: number | undefined
  /** Called with every server error, such as 503 when the database is unavailable and 507 when its disk is full. */
  onError?: (error: unknown, trace?: RequestTrace) => void
}

export interface App {
  /** Handles a request from a socket. */
  fetch(request: Request, connection?: Connection): Promise<Response>
  /** Handles a request from a socket, like `fetch`, except HEAD. */
  serve(request: RequestLike, connection?: Connection): Promise<HttpResponse>
  /** Handles a request from this process; `headers` must contain the Content-Length of a body. */
  respond(request: RequestLike): Promise<HttpResponse>
}

/**
 * Announces, as structured headers (RFC 9651), that repeated creates with one Idempotency-Key create one record, and that
 * If-Match makes changes and deletions conditional.
 */
const supportedHeaders = { 'Idempotency-Key-Supported': '?1', 'If-Match-Supported': '?1' }

/** Records that are read and sent at once: other requests wait for about as many milliseconds as there are hundreds. */
const servedBatchSize = 250

/** Returns the service (service-api-v1.md) over a storage, under /api/v1. */
export function createApp(options: AppOptions): App {
  const respond = (request: RequestLike, trace?: RequestTrace, limits?: Limits) =>
    handle(request, options, trace, limits).catch((error: unknown) =>
      errorResponse(toHttpError(error, options, trace)),
    )
  const turnsOf = (limit: number) => new UserTurns(limit, options.maxWaitMs ?? maxWaitMs)
  const limits: Limits = {
    requests: turnsOf(maxParallel.requests),
    lists: {
      ...{ maxRecords: options.maxListRecords, batchSize: servedBatchSize },
      turns: turnsOf(maxParallel.longLists),
    },
  }
  const serve: App['serve'] = async (request, connection) => {
    const { status, headers, body } = await respond(request, connection?.trace, limits)
    return { status, headers: { ...headers, ...supportedHeaders }, body }
  }
  return {
    respond: (request) => respond(request),
    serve,
    async fetch(request, connection) {
      const response = await serve(request, connection)
      return toFetchResponse(request.method === 'HEAD' ? { ...response, body: null } : response)
    },
  }
}

/** The limits of requests from sockets. */
interface Limits {
  /** The turns of users for requests, until their response begins. */
  requests: Turns
  lists: ListOptions
}

async function handle(
  raw: RequestLike,
  options: AppOptions,
  trace?: RequestTrace,
  { requests, lists }: Partial<Limits> = {},
): Promise<HttpResponse> {
  const { storage, authenticate, expectUser, clock, publicUrl, seesEverything = false } = options
  const { queries } = storage
  const { pathname, search, searchParams } = new URL(raw.url)
  const route = findRoute(pathname)
  if (!route) throw notFound('No resource has this path.')
  const method = raw.method === 'HEAD' ? 'GET' : raw.method
  const scope = scopeOf(method)
  const handler = Object.hasOwn(route.methods, method) ? route.methods[method] : undefined
  const request = {
    raw,
    id: route.id,
    // Without a public address it is relative: the host of a request can be anything (RFC 9110 section 7.2).
    url: `${publicUrl ?? ''}${pathname}${search}`,
    parameters: searchParams,
    query: (name: string) => searchParams.get(name) ?? undefined,
  }
  const onError = (error: unknown) => options.onError?.(error, trace)
  const contextOf = ({ userId, timeZone, ...user }: AuthenticatedUser) => ({
    ...{ request, queries, userId, timeZone, now: clock(), lists, onError },
    seesEverything: seesEverything || user.seesEverything === true,
  })
  const token = parseBearerToken(raw.headers.get('Authorization'))
  const expected = raw.isRepeatable && token !== undefined ? expectUser?.(token) : undefined
  if (handler && expected?.user.scopes.has(scope)) {
    if (trace) trace.userId = expected.user.userId
    const response = await inTurn(requests, expected.user, () =>
      expected.handle(queries, (checked) => handler({ ...contextOf(expected.user), queries: checked })),
    )
    if (response) return response
  }
  const user = await authenticate(token ?? '')
  if (trace) trace.userId = user?.userId
  if (!user) return unauthorizedResponse(token !== undefined)
  if (!handler) return methodNotAllowedResponse(method, Object.keys(route.methods))
  if (!user.scopes.has(scope)) return insufficientScopeResponse(scope)
  return inTurn(requests, user, () => handler(contextOf(user)))
}

/** Does work in a turn of the user, if there are turns. */
async function inTurn<Result>(
  turns: Turns | undefined,
  { userId }: AuthenticatedUser,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!turns) return work()
  const waiting = turns.begin(userId)
  if (waiting) await waiting
  try {
    return await work()
  } finally {
    turns.end(userId)
  }
}

function toHttpError(error: unknown, { onError }: AppOptions, trace: RequestTrace | undefined): HttpError {
  if (error instanceof HttpError) return error
  onError?.(error, trace)
  return serverError(error)
}

/** Returns the bearer token of an Authorization header (RFC 6750 section 2.1). */
function parseBearerToken(header: string | null): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? '')?.[1]
}

/** Work of one user that is done at the same time. The commands of a person do not reach it, also several at once. */
const maxParallel = { requests: 16, longLists: 8 }

/** How long more of it waits for its turn, in milliseconds. */
const maxWaitMs = 2000

export class UserTurns implements Turns {
  readonly #limit: number
  readonly #maxWaitMs: number
  readonly #inProgress = new Map<number, number>()
  readonly #waiting = new Map<number, Set<() => void>>()

  constructor(limit: number, waitMs: number) {
    this.#limit = limit
    this.#maxWaitMs = waitMs
  }

  begin(userId: number): Promise<void> | undefined {
    const inProgress = this.#inProgress.get(userId) ?? 0
    if (inProgress >= this.#limit) return this.#wait(userId)
    this.#inProgress.set(userId, inProgress + 1)
    return undefined
  }

  end(userId: number): void {
    const [next] = this.#waiting.get(userId) ?? []
    if (next) {
      next()
      return
    }
    const others = (this.#inProgress.get(userId) ?? 0) - 1
    if (others > 0) this.#inProgress.set(userId, others)
    else this.#inProgress.delete(userId)
  }

  #wait(userId: number): Promise<void> {
    const waiting = this.#waiting.get(userId) ?? new Set()
    this.#waiting.set(userId, waiting)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        if (waiting.size === 0) this.#waiting.delete(userId)
      }
      const begin = () => {
        leave()
        resolve()
      }
      const timer = setTimeout(() => {
        leave()
        reject(tooManyRequests())
      }, this.#maxWaitMs)
      waiting.add(begin)
    })
  }
}
