import { setTimeout as delay } from 'node:timers/promises'
import type { HostedApp } from '../http/listener.js'
import {
  errorResponse,
  type HttpResponse,
  jsonResponse,
  methodNotAllowedResponse,
  notFound,
  toFetchResponse,
} from '../http/response.js'
import { schemaVersion, schemaVersionOf } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import type { Metrics } from './metrics.js'

export interface OperationOptions {
  storage: Storage
  isStopping(): boolean
}

/** The paths of the endpoints for load balancers. */
export const operationPaths = ['/healthz', '/readyz'] as const

type Endpoints = Readonly<Record<string, () => Promise<HttpResponse>>>

/** Adds /healthz and /readyz to the service. */
export function withOperationEndpoints(app: HostedApp, options: OperationOptions): HostedApp {
  return withEndpoints(app, healthEndpoints(options))
}

/** Returns an app with metrics and health only: metrics tell about users, so they have another address than the service. */
export function metricsApp(metrics: Metrics, options: OperationOptions): HostedApp {
  const fetch = async () =>
    toFetchResponse(errorResponse(notFound('This port serves only metrics and health.')))
  return withEndpoints({ fetch }, { ...healthEndpoints(options), '/metrics': () => showMetrics(metrics) })
}

function healthEndpoints(options: OperationOptions): Endpoints {
  return {
    '/healthz': async () => jsonResponse({ status: 'ok' }),
    '/readyz': () => showReadiness(options),
  }
}

function withEndpoints(app: HostedApp, endpoints: Endpoints): HostedApp {
  return {
    // The API has other paths.
    serve: app.serve,
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

async function showReadiness({ storage, isStopping }: OperationOptions): Promise<HttpResponse> {
  const checks = await checkReadiness(storage, isStopping())
  const isReady = Object.values(checks).every((check) => check)
  return jsonResponse({ status: isReady ? 'ready' : 'not_ready', checks }, isReady ? 200 : 503)
}

async function showMetrics(metrics: Metrics): Promise<HttpResponse> {
  const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
  return { status: 200, headers, body: await metrics.text() }
}

/** The parts of a ready service. */
export type Readiness = Record<'database' | 'migrations' | 'running', boolean> & { disk?: boolean }

/** Upper bound for the time that a check waits for the database. */
const timeoutMs = 2000

/**
 * Returns whether each part is ready: the database responds within 2 s, its schema has all migrations of this version, the
 * disk of a SQLite file is writable, and the service is not stopping. A newer schema is ready, so that several nodes can be updated one after the other.
 */
export async function checkReadiness(storage: Storage, isStopping: boolean): Promise<Readiness> {
  const timeout = new AbortController()
  const inTime = <Value>(check: Promise<Value>) =>
    Promise.race([
      check.catch(() => undefined),
      delay(timeoutMs, undefined, { signal: timeout.signal, ref: false }),
    ])
  const [version, isWritable] = await Promise.all([
    inTime(schemaVersionOf(storage.queries)),
    storage.disk && inTime(storage.disk.isWritable()),
  ])
  timeout.abort()
  const hasDatabase = typeof version === 'number'
  return {
    database: hasDatabase,
    migrations: hasDatabase && version >= schemaVersion,
    ...(storage.disk ? { disk: isWritable === true } : {}),
    running: !isStopping,
  }
}
