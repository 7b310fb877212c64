import type { Server } from 'node:http'
import { TtError } from '../../lib/errors.js'

/** The two ends of a connection, as far as they are known. */
export interface Connection {
  remoteAddress?: string | undefined
  localAddress?: string | undefined
}

/** What can be put on a socket. */
export interface HostedApp {
  fetch(request: Request, connection: Connection): Promise<Response>
}

export interface Listener {
  /** Where it listens, without a path: http://127.0.0.1:8080. */
  url: string
  /** Takes no new requests, lets those in flight finish for up to 10 s, and resolves when all is over. */
  close(): Promise<void>
}

const patienceMs = 10_000

/**
 * Serves the app over HTTP at `host` and `port`; port 0 is any free one.
 *
 * Throws TtError `failure` when the address is in use, is not this machine's, or needs rights that are missing.
 */
export async function listen(
  app: HostedApp,
  { host, port }: { host: string; port: number },
): Promise<Listener> {
  const { createAdaptorServer } = await import('@hono/node-server')
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => app.fetch(request, incoming.socket),
    serverOptions: { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
  }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, host, port)))
    server.listen(port, host, resolve)
  })
  let closing: Promise<void> | undefined
  server.prependListener('request', (_, response) => {
    if (closing) response.shouldKeepAlive = false
    // A connection that becomes idle while the server closes would stay open until its keep-alive time is over.
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

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), patienceMs)
    server.close(() => {
      clearTimeout(impatience)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): TtError {
  const place = `${host}:${port}`
  const [message, hint] =
    error.code === 'EADDRINUSE'
      ? [`Another program listens on ${place} already.`, 'Choose another port; 0 is any free one.']
      : error.code === 'EACCES'
        ? [`Listening on ${place} is not allowed.`, 'Choose a port from 1024 on.']
        : [`Listening on ${place} failed: ${error.message}.`, 'Check the host and the port.']
  return new TtError('failure', message, { hint, cause: error })
}
