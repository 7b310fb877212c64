import { randomUUID } from 'node:crypto'
import type { RequestEnd, RequestObserver, RequestTrace } from '../http/request-context.js'
import { findRoute } from '../http/routes.js'
import { endpointPaths } from '../oauth/authorization-server.js'
import type { Log } from './log.js'
import type { Metrics } from './metrics.js'
import { operationPaths } from './operation-endpoints.js'

/** Returns an observer that writes a line of the log for each request and counts it. */
export function createObserver(log: Log, metrics: Metrics): RequestObserver {
  return {
    begin: (requestId) => ({ id: isRequestId(requestId) ? requestId : randomUUID() }),
    end(trace, request) {
      const route = routeOf(request.path)
      const method = methodLabels.includes(request.method) ? request.method : 'other'
      metrics.countRequest({ ...request, method, route })
      writeLine(log, trace, request, route)
    },
  }
}

/** Other methods count as one, so that a client cannot create any number of time series. */
const methodLabels = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS']

function isRequestId(text: string | undefined): text is string {
  return text !== undefined && /^[\w.:+/=@-]{1,128}$/.test(text)
}

/** The fields contain no path, query or header: these may contain secrets. */
function writeLine(log: Log, { id, userId }: RequestTrace, request: RequestEnd, route: string) {
  const { method, status, durationMs, isAborted } = request
  const fields = {
    ...{ request_id: id, method, route, status },
    duration_ms: Math.round(durationMs * 10) / 10,
    ...(userId === undefined ? {} : { user_id: userId }),
    ...(isAborted ? { aborted: true } : {}),
  }
  log[levelOf(status, route)](fields, 'Request')
}

function levelOf(status: number, route: string): 'debug' | 'info' | 'warn' | 'error' {
  if (quietPaths.includes(route)) return status < 500 ? 'debug' : 'warn'
  return status < 500 ? 'info' : 'error'
}

/** Returns the path with {id} for the ID of a record; "unknown" for a path that does not exist. */
function routeOf(path: string): string {
  if (ownPaths.includes(path)) return path
  const route = findRoute(path)
  if (!route) return 'unknown'
  return `/api/v1${route.collection}${route.id === undefined ? '' : '/{id}'}`
}

const quietPaths: readonly string[] = operationPaths
const ownPaths: readonly string[] = [...endpointPaths, ...operationPaths]
