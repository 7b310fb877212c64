import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { TtError } from '../../lib/errors.js'
import type { AuthorizationResponse, ParsedResponse } from './authorization-response.js'
import { alreadyUsedPage, type Page, unexpectedRequestPage } from './pages.js'
import { defaultRedirectUri, type Redirect } from './redirect-uri.js'

/** Where the browser lands at the end of its way. */
export interface CallbackServer {
  /** The redirect URI to send: that of the registration, with the port that is listened at. */
  readonly redirectUri: string
  /** Resolves with the first answer; anything else that comes is turned away. */
  readonly response: Promise<AuthorizationResponse>
  /** Shows the page to the browser that brought the answer, then ends every connection and every listener. */
  close(page: Page): Promise<void>
}

/** The longest that the end waits for a browser that does not take its page, in milliseconds. */
const patienceMs = 1_000

const limits = {
  // Room for the cookies of other programs on this host, which browsers send to every port of it.
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
}

/**
 * Listens on loopback for the redirect of the authorization server (RFC 8252 section 7.3).
 *
 * A request with another method, path, Host or state gets 400, and the wait goes on. Throws TtError `failure` when
 * the port cannot be had.
 */
export async function startCallbackServer(
  redirect: Redirect,
  read: (parameters: URLSearchParams) => ParsedResponse,
): Promise<CallbackServer> {
  let take: (answer: AuthorizationResponse) => void = () => {}
  const response = new Promise<AuthorizationResponse>((resolve) => {
    take = resolve
  })
  let wanted: URL | undefined
  let waiting: ServerResponse | undefined

  const servers = await listen(redirect, (request, response) => {
    const reading = wanted ? readRequest(request, wanted, read) : { problem: 'It came too early.' }
    if ('problem' in reading) return send(response, unexpectedRequestPage(reading.problem))
    if (waiting) return send(response, alreadyUsedPage())
    waiting = response
    take(reading)
  })
  const redirectUri = redirect.withPort(portOf(servers))
  wanted = new URL(redirectUri)

  return {
    redirectUri,
    response,
    async close(page) {
      if (waiting) await deliver(waiting, page)
      await closeAll(servers)
    },
  }
}

function readRequest(
  { method, url = '', headers }: IncomingMessage,
  wanted: URL,
  read: (parameters: URLSearchParams) => ParsedResponse,
): ParsedResponse {
  if (method !== 'GET') return { problem: 'The method is not GET.' }
  // A page of a host that was made to resolve to this machine sends the name of that host (DNS rebinding).
  if (headers.host?.toLowerCase() !== wanted.host)
    return { problem: 'The host is not the one that was asked for.' }
  const [, path, query] = /^([^?]*)(.*)$/s.exec(url) ?? []
  if (path !== wanted.pathname) return { problem: 'The path is not the one that was asked for.' }
  return read(new URLSearchParams(query))
}

function send(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, page.headers).end(page.html)
}

/** Resolves when the page has left this machine, when the browser has gone, or when patience is over. */
function deliver(response: ServerResponse, page: Page): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = response
    if (!socket || socket.destroyed) return resolve()
    const impatience = setTimeout(resolve, patienceMs)
    socket.once('close', () => {
      clearTimeout(impatience)
      resolve()
    })
    send(response, page)
  })
}

/** Listens at every address of the redirect URI that this machine has: `localhost` may be two, and one may be absent. */
async function listen(
  { hosts, port }: Redirect,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server[]> {
  const servers: Server[] = []
  const missing: Error[] = []
  for (const host of hosts) {
    const server = createServer(limits, handle)
    const failure = await bind(server, host, port)
    if (!failure) servers.push(server)
    else if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(failure.code ?? '')) missing.push(failure)
    else {
      // Whoever has the port at one address of a name would get the code in place of tt.
      await closeAll(servers)
      throw explained(failure, host, port)
    }
  }
  const [first] = missing
  if (servers.length === 0 && first) throw explained(first, hosts.join(' and '), port)
  return servers
}

function bind(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    // The listener stays, so that a connection that fails later ends nobody's process.
    server.on('error', resolve)
    server.listen({ host, port, exclusive: true, ipv6Only: host.includes(':') }, () => resolve(undefined))
  })
}

function portOf([server]: Server[]): number {
  const address = server?.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function closeAll(servers: Server[]): Promise<void> {
  await Promise.all(
    servers.map(
      (server) =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    ),
  )
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): TtError {
  const place = port === 0 ? host : `port ${port} of ${host}`
  const [message, hint] =
    error.code === 'EADDRINUSE'
      ? [
          `Another program listens on ${place}, where the sign-in would come back.`,
          'End that program, or register another redirect URI and give it with --redirect-uri.',
        ]
      : error.code === 'EACCES'
        ? [
            `Listening on ${place} is not allowed.`,
            'Register a redirect URI with a port from 1024 on, and give it with --redirect-uri.',
          ]
        : [
            `Listening on ${place} failed: ${error.message}.`,
            `Register ${defaultRedirectUri} as redirect URI, and leave --redirect-uri out.`,
          ]
  return new TtError('failure', message, { hint, cause: error })
}
