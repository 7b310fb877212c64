import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { TtError } from '../../lib/errors.js'
import {
  acceptsPages,
  maxBodyBytes,
  type RequestLike,
  type RequestObserver,
  type RequestTrace,
} from './request-context.js'
import {
  badRequest,
  errorResponse,
  type HttpResponse,
  RecordBatches,
  toFetchResponse,
  toSocketHeaders,
} from './response.js'
import { findRoute } from './routes.js'
import { endOfTurn } from './turns.js'

/** The addresses of a connection, as far as they are known, and the trace of the request. */
export interface Connection {
  remoteAddress?: string | undefined
  localAddress?: string | undefined
  trace?: RequestTrace | undefined
}

/** An app that `listen` can serve. */
export interface HostedApp {
  fetch(request: Request, connection: Connection): Promise<Response>
  /** Handles a request to a path of the API without the objects of fetch, which take longer than a small response. */
  serve?: ((request: RequestLike, connection: Connection) => Promise<HttpResponse>) | undefined
}

export interface Listener {
  /** The address without a path, such as http://127.0.0.1:8080. */
  url: string
  /** Rejects new requests, waits up to 10 s for requests in flight, and resolves when all connections are closed. */
  close(): Promise<void>
}

const closeTimeoutMs = 10_000

/**
 * After this time in which a client reads nothing of a response, its connection is closed, which frees the memory. Node
 * waits up to twice as long if the system has accepted a part of the last write.
 */
const writeTimeoutMs = 15_000

/**
 * Serves the app over HTTP at `host` and `port`; port 0 selects a free port.
 *
 * Throws TtError `failure` when the address is in use, belongs to another machine, or requires more privileges.
 */
export async function listen(
  app: HostedApp,
  { host, port, observer }: { host: string; port: number; observer?: RequestObserver },
): Promise<Listener> {
  const { createAdaptorServer } = await import('@hono/node-server')
  const traces = new WeakMap<object, RequestTrace>()
  const server = createAdaptorServer({
    fetch: async (request, { incoming, outgoing }) => {
      if (hasSeveralHosts(incoming)) return severalHostsResponse()
      const { socket } = incoming
      const { remoteAddress, localAddress } = socket
      const response = await app.fetch(request, { remoteAddress, localAddress, trace: traces.get(incoming) })
      // Ends with the response, like that of `send`: then the time limit of idle connections applies.
      socket.setTimeout(writeTimeoutMs)
      beginResponse(traces.get(incoming), incoming)
      // Nothing else ends a stream that is never read.
      if (outgoing.destroyed) await response.body?.cancel()
      return response
    },
    createServer: ((serverOptions: ServerOptions, handleWithFetch: RequestListener) =>
      createServer(serverOptions, (incoming, response) => {
        const trace = traces.get(incoming)
        const request = hasSeveralHosts(incoming) ? undefined : toApiRequest(incoming)
        if (request && app.serve) return void send(response, app.serve(request, { trace }), trace)
        if (trace) response.setHeader(requestIdHeader, trace.id)
        handleWithFetch(incoming, response)
      })) as unknown as typeof createServer,
    // Health checks with HTTP/1.0, such as those of HAProxy, have no Host header.
    hostname: inUrl(host),
    serverOptions: {
      ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
      // How often the time limits of headers and requests are checked; the default is 30 s.
      connectionsCheckingInterval: 1000,
    },
  }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  let closing: Promise<void> | undefined
  server.prependListener('request', (incoming, response) => {
    if (observer) traces.set(incoming, observe(observer, incoming, response))
    if (closing) response.shouldKeepAlive = false
    // Otherwise a connection that becomes idle during closing stays open for its keep-alive time.
    response.once('close', () => closing && setImmediate(() => server.closeIdleConnections()))
  })
  return {
    url: urlOf(server, host),
    close() {
      closing ??= close(server)
      return closing
    },
  }
}

const requestIdHeader = 'X-Request-Id'

async function send(
  response: ServerResponse,
  served: Promise<HttpResponse>,
  trace: RequestTrace | undefined,
): Promise<void> {
  try {
    const { headers, ...others } = await served
    const allHeaders = trace ? { ...headers, [requestIdHeader]: trace.id } : headers
    response.setTimeout(writeTimeoutMs)
    beginResponse(trace, response.req)
    await sendResponse(response, { ...others, headers: allHeaders })
  } catch {
    // The client disconnected, or reading more records failed, which the app has reported.
    response.destroy()
  }
}

/** Measures how long the service has taken, without the time in which the client has sent its request. */
function beginResponse(trace: RequestTrace | undefined, { complete }: { complete: boolean }) {
  if (trace?.receivedAtMs !== undefined && complete) trace.responseMs = performance.now() - trace.receivedAtMs
}

/** Observes the end of the response to a request. */
function observe(
  observer: RequestObserver,
  incoming: IncomingMessage,
  response: ServerResponse,
): RequestTrace {
  const startMs = performance.now()
  const header = incoming.headers['x-request-id']
  const trace = observer.begin(typeof header === 'string' ? header : undefined)
  trace.receivedAtMs = startMs
  if (!incoming.complete)
    incoming.once('end', () => {
      trace.receivedAtMs = performance.now()
    })
  response.once('close', () => {
    const { method = '', url = '' } = incoming
    const isAborted = !response.writableFinished
    const status = response.headersSent ? response.statusCode : 499
    const durationMs = performance.now() - startMs
    if (!response.headersSent) beginResponse(trace, incoming)
    const { responseMs } = trace
    observer.end(trace, { method, path: pathOf(url), status, durationMs, responseMs, isAborted })
  })
  return trace
}

/** Returns the path of a request target as the app reads it: without dot segments, and without the host of a complete URL. */
function pathOf(target: string): string {
  const [plainPath] = /^(?:\/\w+)+(?=\?|$)/.exec(target) ?? []
  if (plainPath !== undefined) return plainPath
  const url = target.startsWith('/') ? `http://localhost${target}` : target
  return URL.canParse(url) ? new URL(url).pathname : ''
}

/** Whether a request has several Host headers (RFC 9112 section 3.2): a proxy and the service may use different ones. */
function hasSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count++
  return count > 1
}

const severalHostsResponse = () =>
  toFetchResponse(errorResponse(badRequest('The request has more than one Host header.')))

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => server.closeAllConnections(), closeTimeoutMs)
    server.close(() => {
      clearTimeout(timeout)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${inUrl(host)}:${port}`
}

/** Returns a host as it is written in URLs: IPv6 addresses in brackets. */
const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host)

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): TtError {
  const place = `${host}:${port}`
  const [message, hint] =
    error.code === 'EADDRINUSE'
      ? [`Another program already listens on ${place}.`, 'Choose another port; 0 selects a free port.']
      : error.code === 'EACCES'
        ? [`Listening on ${place} is not allowed.`, 'Choose port 1024 or higher.']
        : [`Listening on ${place} failed: ${error.message}.`, 'Check the host and the port.']
  return new TtError('failure', message, { hint, cause: error })
}

const plainMethods = ['GET', 'POST', 'PATCH', 'DELETE']
const plainHost = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/

/**
 * Returns a request to the API as the app reads it. Returns undefined for one that fetch handles: for another path, an
 * unusual host, a page, and a body without a length or over the limit.
 */
function toApiRequest(incoming: IncomingMessage): RequestLike | undefined {
  const { method = '', url = '', headers } = incoming
  const { host = '', 'content-length': length = '0' } = headers
  const [path = ''] = url.split('?', 1)
  const isPlain =
    plainMethods.includes(method) && plainHost.test(host) && findRoute(path) && !acceptsPages(headers.accept)
  if (!isPlain || headers['transfer-encoding'] !== undefined || headers.expect !== undefined) return undefined
  if (Number(length) > maxBodyBytes) return undefined
  let text: Promise<string> | undefined
  return {
    method,
    url: `http://${host}${url}`,
    headers: { get: (name) => headerOf(incoming, name.toLowerCase()) },
    text() {
      text ??= readText(incoming)
      return text
    },
    isRepeatable: true,
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined
  if (value === undefined) return null
  return typeof value === 'string' ? value : value.join(', ')
}

const decoder = new TextDecoder()

/** Reads a body whose length is known. Rejects when the client disconnects before its end. */
function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    // An error with its stack takes longer to create than the body to read.
    const rejectIncomplete = () => reject(new Error('The connection ended before the body.'))
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('end', () => {
      incoming.off('close', rejectIncomplete)
      resolve(decoder.decode(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    })
    incoming.once('error', reject)
    incoming.once('close', rejectIncomplete)
  })
}

/**
 * Writes a response: a text at the end of the turn, together with others, a stream as fast as the client reads it. Rejects
 * when either fails.
 */
async function sendResponse(outgoing: ServerResponse, response: HttpResponse): Promise<void> {
  const { status, headers, body } = response
  const text = body instanceof RecordBatches ? body.text() : body
  if (text === null || typeof text === 'string') {
    const length = status === 204 ? {} : { 'Content-Length': Buffer.byteLength(text ?? '') }
    await endOfTurn()
    outgoing.writeHead(status, { ...toSocketHeaders(headers), ...length })
    outgoing.end(text ?? undefined)
    return
  }
  const { body: stream } = toFetchResponse({ status, headers, body: text })
  // Nothing else ends a stream that is never read.
  if (outgoing.destroyed) return stream?.cancel()
  outgoing.writeHead(status, toSocketHeaders(headers))
  await pipeline(Readable.fromWeb(stream as ReadableStream, { highWaterMark: 1 }), outgoing)
}
