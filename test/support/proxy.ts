import { createServer, type IncomingHttpHeaders, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request on its way to the service. */
export interface ProxiedRequest {
  method: string
  /** Without the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The port that it came from. */
  remotePort: number
  /** Resolves when it was answered, or when the client has given up. */
  closed: Promise<void>
}

export interface ProxiedResponse {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** The connection is cut after this much of the body, whatever the headers promise. */
  isCutOff?: boolean
}

/** What becomes of a request; `forward` has the service answer it. Undefined: the connection is cut. */
export type Fault = (
  request: ProxiedRequest,
  forward: () => Promise<ProxiedResponse>,
) => Promise<ProxiedResponse | undefined> | ProxiedResponse | undefined

export interface ServiceProxy {
  origin: string
  /** The API root behind it. */
  url: string
  /** All that has reached it, in order. */
  requests: ProxiedRequest[]
  /** How many requests to that path have reached it. */
  count(path: string): number
  /** From now on; without it everything is passed on. */
  fault: Fault
  /** Nobody takes a connection there, until it is opened again. */
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

/** Stands in front of a service on 127.0.0.1, counts what passes, and does to it what the test says, until the test is over. */
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
  const listenAt = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listenAt(0)
  onTestFinished(close)
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const proxy: ServiceProxy = {
    origin,
    url: `${origin}/api/v1`,
    requests: [],
    count: (path) => proxy.requests.filter((request) => request.path === path).length,
    fault: noFault,
    close,
    open: () => listenAt(port),
  }
  return proxy
}

function sendPartially(outgoing: ServerResponse, { status, headers, body }: ProxiedResponse) {
  outgoing.writeHead(status, endToEndHeaders(headers))
  outgoing.write(body, () => outgoing.socket?.destroy())
}

/** Sends a request to a service as it is, and answers what that says. */
export function sendRequest(
  target: URL,
  { method, path, headers, body }: Pick<ProxiedRequest, 'method' | 'path' | 'headers' | 'body'>,
): Promise<ProxiedResponse> {
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is used again may have been closed by the service a moment ago.
    const options = { host: target.hostname, port: target.port, method, path, headers, agent: false }
    const outgoing = send(options, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
    })
    outgoing.on('error', reject).end(body)
  })
}

/** The headers that are not of one connection alone. */
function endToEndHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, ...rest } = headers
  return rest
}
