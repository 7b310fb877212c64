import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse, request as send } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { listenOnFreePort } from './ports.js'

/** A request on its way to the service. */
export interface ProxiedRequest {
  method: string
  /** The path without the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The port of the client. */
  remotePort: number
  /** Resolves when the response is sent or the client has closed the connection. */
  closed: Promise<void>
}

export interface ProxiedResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** Closes the connection after `body`, even if Content-Length announces more. */
  isCutOff?: boolean
}

/** Decides the response to a request; `forward` sends it to the service. Undefined closes the connection. */
export type Fault = (
  request: ProxiedRequest,
  forward: () => Promise<ProxiedResponse>,
) => Promise<ProxiedResponse | undefined> | ProxiedResponse | undefined

export interface ServiceProxy {
  origin: string
  /** The base URL of the API. */
  url: string
  /** The requests that it has received, in order. */
  requests: ProxiedRequest[]
  /** Counts the requests to this path. */
  count(path: string): number
  /** Applies to the next requests; `noFault` unless set. */
  fault: Fault
  /** Refuses connections until `open`. */
  close(): Promise<void>
  open(): Promise<void>
}

/** Forwards the request. */
export const noFault: Fault = (_request, forward) => forward()

/** Cuts the connection before the service receives the request. */
export const dropRequest: Fault = () => undefined

/** Cuts the connection after the service has executed a change; reads pass. */
export const dropResponse: Fault = async ({ method }, forward) => {
  const response = await forward()
  return method === 'GET' ? response : undefined
}

/** Responds to changes instead of the service; reads pass. */
export function respondToChanges(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Fault {
  return ({ method }, forward) => (method === 'GET' ? forward() : jsonResponse(status, body, headers))
}

/** Responds to every request instead of the service. */
export function respondToAll(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): Fault {
  return () => jsonResponse(status, body, headers)
}

/** Returns a JSON response; a string is sent as it is. */
export function jsonResponse(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text }
}

/** Starts a proxy on 127.0.0.1 that records requests to a service and applies faults to them. It stops with the test. */
export async function startProxy(service: string, { keepAliveMs = 1000 } = {}): Promise<ServiceProxy> {
  const target = new URL(service)
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk
    const { method = '', url = '', headers, socket } = incoming
    const passing = {
      method,
      path: url.replace(/\?.*/, ''),
      headers,
      body,
      remotePort: socket.remotePort ?? 0,
      closed: new Promise<void>((resolve) => outgoing.once('close', resolve)),
    }
    proxy.requests.push(passing)
    try {
      const response = await proxy.fault(passing, () => sendRequest(target, { ...passing, path: url }))
      if (!response) socket.destroy()
      else if (response.isCutOff) sendPartially(outgoing, response)
      else outgoing.writeHead(response.status, endToEndHeaders(response.headers)).end(response.body)
    } catch {
      socket.destroy()
    }
  })
  server.keepAliveTimeout = keepAliveMs
  /** Listens at the same port again. A connection of another process may have taken it for a moment. */
  const open = async (attempts = 100): Promise<void> => {
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    } catch (error) {
      if (attempts === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      await sleep(100)
      await open(attempts - 1)
    }
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const port = await listenOnFreePort(server)
  onTestFinished(close)
  const origin = `http://127.0.0.1:${port}`
  const proxy: ServiceProxy = {
    origin,
    url: `${origin}/api/v1`,
    requests: [],
    count: (path) => proxy.requests.filter((request) => request.path === path).length,
    fault: noFault,
    close,
    open: () => open(),
  }
  return proxy
}

function sendPartially(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse) {
  outgoing.writeHead(status, endToEndHeaders(headers))
  outgoing.write(body, () => outgoing.socket?.destroy())
}

/** Sends a request unchanged to a service and returns its response. */
export function sendRequest(
  target: URL,
  { method, path, headers, body }: Pick<ProxiedRequest, 'method' | 'path' | 'headers' | 'body'>,
): Promise<ProxiedResponse> {
  return new Promise((resolve, reject) => {
    // A new connection: the service may just have closed a reused one.
    const options = { host: target.hostname, port: target.port, method, path, headers, agent: false }
    const outgoing = send(options, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
    })
    outgoing.on('error', reject).end(body)
  })
}

/** Removes the headers that apply to a single connection. */
function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, ...rest } = headers
  return rest
}
