import { notFound } from '../http/http-error.js'
import type { HostedApp } from '../http/listener.js'
import {
  errorResponse,
  type HttpResponse,
  jsonResponse,
  methodNotAllowedResponse,
  toFetchResponse,
} from '../http/response.js'
import type { Storage } from '../storage/storage.js'
import type { Metrics } from './metrics.js'
import { checkReadiness } from './readiness.js'

export interface OperationOptions {
  storage: Storage
  /** Undefined where another listener has the metrics. */
  metrics: Metrics | undefined
  isStopping(): boolean
}

/** The paths of the endpoints for load balancers and monitoring. */
export const operationPaths = ['/healthz', '/readyz', '/metrics'] as const

/** Adds /healthz, /readyz and, with metrics, /metrics to the service. */
export function withOperationEndpoints(app: HostedApp, options: OperationOptions): HostedApp {
  const endpoints: Record<string, () => Promise<HttpResponse>> = {
    '/healthz': async () => jsonResponse({ status: 'ok' }),
    '/readyz': () => showReadiness(options),
  }
  const { metrics } = options
  if (metrics) endpoints['/metrics'] = () => showMetrics(metrics)
  return {
    // The API has other paths.
    ...(app.serve ? { serve: app.serve } : {}),
    async fetch(request, connection) {
      const { pathname } = new URL(request.url)
      const endpoint = Object.hasOwn(endpoints, pathname) ? endpoints[pathname] : undefined
      if (!endpoint) return app.fetch(request, connection)
      const { method } = request
      if (method !== 'GET' && method !== 'HEAD') {
        return toFetchResponse(methodNotAllowedResponse(method, ['GET']))
      }
      const response = await endpoint()
      return toFetchResponse(method === 'HEAD' ? { ...response, body: null } : response)
    },
  }
}

/** Returns an app that has only the endpoints for operation, to be served on another port than the service. */
export function metricsApp(options: OperationOptions): HostedApp {
  const fetch = async () =>
    toFetchResponse(errorResponse(notFound('This port serves only metrics and health.')))
  return withOperationEndpoints({ fetch }, options)
}

async function showReadiness({ storage, isStopping }: OperationOptions): Promise<HttpResponse> {
  const checks = await checkReadiness(storage, isStopping())
  const isReady = Object.values(checks).every((check) => check)
  return jsonResponse({ status: isReady ? 'ready' : 'not_ready', checks }, isReady ? 200 : 503)
}

async function showMetrics(metrics: Metrics): Promise<HttpResponse> {
  const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
  return { status: 200, headers, body: await metrics.text() }
}
