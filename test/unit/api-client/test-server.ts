import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { createApi } from '../../../src/api-client/endpoints.js'
import { createHttp } from '../../../src/api-client/http/client.js'
import type { HttpOptions } from '../../../src/api-client/http/http.js'
import { TtError } from '../../../src/lib/errors.js'
import { listenOnFreePort } from '../../support/ports.js'

export interface ReceivedRequest {
  method: string
  /** Path and query as received. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export type TestServer = Awaited<ReturnType<typeof startServer>>

export type Handler = (response: ServerResponse, request: ReceivedRequest, origin: string) => void

/** Starts an HTTP server on a free port of 127.0.0.1 that records its requests and stops with the test. */
export async function startServer(handler: Handler) {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    requests.push({ method, url, headers, body })
    handler(response, { method, url, headers, body }, origin)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`
  const baseUrl = `${origin}/api/v1`
  const http = (options: Partial<HttpOptions> = {}) =>
    createHttp({ baseUrl, token: () => 'secret-token', userAgent: 'tt/test', ...options })
  return {
    origin,
    baseUrl,
    requests,
    http,
    api: (options?: Partial<HttpOptions>) => createApi(http(options)),
  }
}

/** Starts a server that sends the same response to every request. */
export function serveResponse(status: number, body: string, headers: Record<string, string> = {}) {
  return startServer((response) => void response.writeHead(status, headers).end(body))
}

/** Starts a server that responds with the JSON under `METHOD /path` (without the query), or 404. */
export function serveJson(bodies: Record<string, unknown>) {
  return startServer((response, { method, url }) => {
    const body = bodies[`${method} ${url.replace('/api/v1', '').replace(/\?.*/, '')}`]
    if (body === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

/** Returns the TtError that a promise rejects with; anything else fails the test. */
export async function rejectionOf(work: Promise<unknown>): Promise<TtError> {
  const outcome = await work.then(
    (value) => new Error(`It succeeded with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (outcome instanceof TtError) return outcome
  throw outcome
}
