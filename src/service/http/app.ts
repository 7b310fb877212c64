import type { Scope } from '../../api/types.js'
import { TtError } from '../../lib/errors.js'
import * as expenses from '../resources/expenses.js'
import * as workspace from '../resources/reference-data.js'
import * as entries from '../resources/time-entries.js'
import type { Storage } from '../storage/storage.js'
import { HttpError, notFound } from './errors.js'
import type { ApiRequest, Handler, RequestLike } from './request-context.js'
import {
  errorResponse,
  type HttpResponse,
  insufficientScopeResponse,
  methodNotAllowedResponse,
  toFetchResponse,
  unauthorizedResponse,
} from './response.js'

/** Who sends a request, and what the token allows. */
export interface AuthenticatedUser {
  userId: number
  scopes: ReadonlySet<Scope>
}

/** Finds whose a token is: undefined when it is unknown, expired or revoked, and for the empty text of no token. */
export type Authenticate = (token: string) => Promise<AuthenticatedUser | undefined>

export interface AppOptions {
  storage: Pick<Storage, 'queries'>
  authenticate: Authenticate
  clock: () => Date
  /** Told of every error that is not the client's, which is answered 500 (507 when a disk is full). */
  onError?: (error: unknown) => void
}

export interface App {
  /** For a socket. */
  fetch(request: Request): Promise<Response>
  /** For a caller in this process; `headers` must tell the Content-Length of a body. */
  respond(request: RequestLike): Promise<HttpResponse>
}

type Methods = Readonly<Record<string, Handler>>

const collections: Readonly<Record<string, Methods>> = {
  '/timesheets': { GET: entries.listEntries, POST: entries.createEntry },
  '/timesheets/most_used_tasks': { GET: entries.mostUsedTasks },
  '/timesheets/find_by_external_id': { GET: entries.findEntry },
  '/projects': { GET: workspace.listProjects },
  '/clients': { GET: workspace.listClients },
  '/tasks': { GET: workspace.listTasks },
  '/task_links': { GET: workspace.listTaskLinks },
  '/assignments': { GET: workspace.listAssignments },
  '/companies': { GET: workspace.showCompany },
  '/expense_types': { GET: expenses.listExpenseTypes },
  '/expenses': { GET: expenses.listExpenses, POST: expenses.createExpense },
}

/** What stands at a number below a collection. */
const records: Readonly<Record<string, Methods>> = {
  '/timesheets': { GET: entries.showEntry, PATCH: entries.updateEntry, DELETE: entries.removeEntry },
  '/expenses': { PATCH: expenses.updateExpense, DELETE: expenses.removeExpense },
}

/** Shows clients that a create with the same Idempotency-Key is done once, however often and late it arrives (RFC 9651). */
const honoursKeys = { 'Idempotency-Key-Supported': '?1' }

/** The service (service-api-v1.md) over that storage, under /api/v1: a function from a request to its response. */
export function createApp(options: AppOptions): App {
  const reply = (request: RequestLike) =>
    answer(request, options).catch((error: unknown) => errorResponse(explain(error, options)))
  return {
    respond: reply,
    async fetch(request) {
      const sent = await reply(request)
      const answered = { ...sent, headers: { ...sent.headers, ...honoursKeys } }
      return toFetchResponse(request.method === 'HEAD' ? { ...answered, body: null } : answered)
    },
  }
}

async function answer(sent: RequestLike, options: AppOptions): Promise<HttpResponse> {
  const { storage, authenticate, clock } = options
  const request = apiRequest(sent)
  const methods = methodsAt(request)
  if (!methods) throw notFound('There is nothing at this address.')
  const token = parseBearerToken(sent.headers.get('Authorization'))
  const principal = await authenticate(token ?? '')
  if (!principal) return unauthorizedResponse(token !== undefined)
  const method = sent.method === 'HEAD' ? 'GET' : sent.method
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!handler) return methodNotAllowedResponse(method, Object.keys(methods))
  const scope: Scope = method === 'GET' ? 'service:read' : 'service:write'
  if (!principal.scopes.has(scope)) return insufficientScopeResponse(scope)
  const onError = (error: unknown) => options.onError?.(error)
  return handler({ request, queries: storage.queries, userId: principal.userId, now: clock(), onError })
}

function apiRequest(sent: RequestLike): ApiRequest & { collection: string } {
  const { pathname, searchParams } = new URL(sent.url)
  const [, collection = '', id] = /^\/api\/v1(\/.*?)(?:\/([0-9]+))?$/.exec(pathname) ?? []
  return { raw: sent, collection, id, url: sent.url, query: (name) => searchParams.get(name) ?? undefined }
}

function methodsAt({ collection, id }: { collection: string; id: string | undefined }): Methods | undefined {
  const known = id === undefined ? collections : records
  return Object.hasOwn(known, collection) ? known[collection] : undefined
}

function explain(error: unknown, { onError }: AppOptions): HttpError {
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
