import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { Scope } from '../api/types.js'
import { TtError } from '../errors.js'
import type { Handler } from './call.js'
import * as expenses from './expenses.js'
import {
  bearerToken,
  errorReply,
  HttpError,
  insufficientScope,
  methodNotAllowed,
  notFound,
  type Reply,
  toResponse,
  unauthorized,
} from './http.js'
import type { Storage } from './storage.js'
import * as entries from './time-entries.js'
import * as workspace from './workspace.js'

/** Who sends a request, and what the token allows. */
export interface Principal {
  userId: number
  scopes: ReadonlySet<Scope>
}

/** Finds whose a token is: undefined when it is unknown, expired or revoked, and for the empty text of no token. */
export type Authenticate = (token: string) => Promise<Principal | undefined>

export interface AppOptions {
  storage: Storage
  authenticate: Authenticate
  clock: () => Date
  /** Told of every error that is not the client's, which is answered 500 (507 when a disk is full). */
  onError?: (error: unknown) => void
}

/** The parts of a Request that the service reads. */
export interface RequestLike {
  method: string
  url: string
  headers: { get(name: string): string | null }
  text(): Promise<string>
}

export interface App {
  /** For a socket. */
  fetch(request: Request): Promise<Response>
  /** For a caller in this process; `headers` must tell the Content-Length of a body. */
  reply(request: RequestLike): Promise<Reply>
}

type Methods = Readonly<Record<string, Handler>>

const routes: readonly [path: string, methods: Methods][] = [
  ['/timesheets', { GET: entries.listEntries, POST: entries.createEntry }],
  ['/timesheets/most_used_tasks', { GET: entries.mostUsedTasks }],
  ['/timesheets/find_by_external_id', { GET: entries.findEntry }],
  [
    '/timesheets/:id{[0-9]+}',
    { GET: entries.showEntry, PATCH: entries.updateEntry, DELETE: entries.removeEntry },
  ],
  ['/projects', { GET: workspace.listProjects }],
  ['/clients', { GET: workspace.listClients }],
  ['/tasks', { GET: workspace.listTasks }],
  ['/task_links', { GET: workspace.listTaskLinks }],
  ['/assignments', { GET: workspace.listAssignments }],
  ['/companies', { GET: workspace.showCompany }],
  ['/expense_types', { GET: expenses.listExpenseTypes }],
  ['/expenses', { GET: expenses.listExpenses, POST: expenses.createExpense }],
  ['/expenses/:id{[0-9]+}', { PATCH: expenses.updateExpense, DELETE: expenses.removeExpense }],
]

/** The service (service-api-v1.md) over that storage, under /api/v1: a function from a request to its response. */
export function createApp(options: AppOptions): App {
  const app = new Hono()
  for (const [path, methods] of routes) {
    app.all(`/api/v1${path}`, async (context) => passed(await answer(context, methods, options)))
  }
  app.notFound(() => passed(errorReply(notFound('There is nothing at this address.'))))
  app.onError((error) => passed(errorReply(explain(error, options))))
  return {
    async fetch(request) {
      // Hono makes the Response to HEAD itself, out of the reply to GET.
      const reply: unknown = await app.fetch(request)
      return reply instanceof Response ? reply : toResponse(reply as Reply)
    },
    async reply(request) {
      const reply: unknown = await app.fetch(request as Request)
      return reply as Reply
    },
  }
}

/** Hono hands on what a handler answers without looking at it. */
const passed = (reply: Reply) => reply as unknown as Response

async function answer({ req }: Context, methods: Methods, options: AppOptions): Promise<Reply> {
  const { storage, authenticate, clock } = options
  const token = bearerToken(req.header('Authorization'))
  const principal = await authenticate(token ?? '')
  if (!principal) return unauthorized(token !== undefined)
  const method = req.method === 'HEAD' ? 'GET' : req.method
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (!handler) return methodNotAllowed(method, Object.keys(methods))
  const scope: Scope = method === 'GET' ? 'service:read' : 'service:write'
  if (!principal.scopes.has(scope)) return insufficientScope(scope)
  const onError = (error: unknown) => options.onError?.(error)
  return handler({ request: req, storage, userId: principal.userId, now: clock(), onError })
}

function explain(error: Error, { onError }: AppOptions): HttpError {
  if (error instanceof HttpError) return error
  onError?.(error)
  if (!(error instanceof TtError)) return new HttpError(500, 'internal', 'The service failed.')
  return new HttpError(isDiskFull(error) ? 507 : 500, 'internal', error.message)
}

function isDiskFull({ message, cause }: TtError): boolean {
  return /disk is full/i.test(`${message} ${cause instanceof Error ? cause.message : ''}`)
}
