import { createServer, type IncomingHttpHeaders, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request on its way to the service. */
export interface Passing {
  method: string
  /** Without the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** The port that it came from. */
  remotePort: number
  /** Resolves when it was answered, or when the client has given up. */
  over: Promise<void>
}

export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** The connection is cut after this much of the body, whatever the headers promise. */
  torn?: boolean
}

/** What becomes of a request; `forward` has the service answer it. Undefined: the connection is cut. */
export type Fate = (
  request: Passing,
  forward: () => Promise<Answered>,
) => Promise<Answered | undefined> | Answered | undefined

export interface ServiceProxy {
  origin: string
  /** The API root behind it. */
  url: string
  /** All that has reached it, in order. */
  seen: Passing[]
  /** How many requests to that path have reached it. */
  count(path: string): number
  /** From now on; without it everything is passed on. */
  fate: Fate
  /** Nobody takes a connection there, until it is opened again. */
  close(): Promise<void>
  open(): Promise<void>
}

export const passOn: Fate = (_request, forward) => forward()

/** Stands in front of a service on 127.0.0.1, counts what passes, and does to it what the test says, until the test is over. */
export async function proxyTo(service: string, { keepAliveMs = 1000 } = {}): Promise<ServiceProxy> {
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
      over: new Promise<void>((resolve) => outgoing.once('close', resolve)),
    }
    proxy.seen.push(passing)
    try {
      const answer = await proxy.fate(passing, () => forwarded(target, { ...passing, path: url }))
      if (!answer) socket.destroy()
      else if (answer.torn) tear(outgoing, answer)
      else outgoing.writeHead(answer.status, lasting(answer.headers)).end(answer.body)
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
    seen: [],
    count: (path) => proxy.seen.filter((request) => request.path === path).length,
    fate: passOn,
    close,
    open: () => listenAt(port),
  }
  return proxy
}

function tear(outgoing: ServerResponse, { status, headers, body }: Answered) {
  outgoing.writeHead(status, lasting(headers))
  outgoing.write(body, () => outgoing.socket?.destroy())
}

/** Sends a request to a service as it is, and answers what that says. */
export function forwarded(
  target: URL,
  { method, path, headers, body }: Pick<Passing, 'method' | 'path' | 'headers' | 'body'>,
): Promise<Answered> {
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
function lasting(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection, 'keep-alive': keepAlive, 'transfer-encoding': encoding, ...rest } = headers
  return rest
}
