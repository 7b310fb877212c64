import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { TtError } from '../../../lib/errors.js'
import type { AuthorizationResponse, ParsedResponse } from './authorization-response.js'
import { alreadyUsedPage, type Page, unexpectedRequestPage } from './callback-pages.js'
import { defaultRedirectUri, type Redirect } from './redirect-uri.js'

/** The server on this machine that receives the redirect of the authorization server. */
export interface CallbackServer {
  /** The redirect URI to send: the registered one, with the port of this server. */
  readonly redirectUri: string
  /** Resolves with the first authorization response; other requests are rejected. */
  readonly response: Promise<AuthorizationResponse>
  /** Sends the page to the browser that delivered the response, then closes all connections and listeners. */
  close(page: Page): Promise<void>
}

/** Time limit for a browser to receive the last page, in milliseconds. */
const lastPageTimeoutMs = 1_000

/** The limits of a request, in bytes and milliseconds. */
export const requestLimits = {
  // Large enough for cookies of other programs on this host: browsers send them to every port.
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
}

/**
 * Listens on loopback for the redirect of the authorization server (RFC 8252 section 7.3).
 *
 * A request with another method, path, Host or state gets 400, and the server continues to wait. Throws TtError `failure`
 * if it cannot listen on the port.
 *
 * @param onUnexpected receives why the first request to the redirect URI that is not the response was rejected
 */
export async function startCallbackServer(
  redirect: Redirect,
  read: (parameters: URLSearchParams) => ParsedResponse,
  onUnexpected: (problem: string) => void = () => {},
  limits = requestLimits,
): Promise<CallbackServer> {
  let resolveResponse: (response: AuthorizationResponse) => void = () => {}
  const response = new Promise<AuthorizationResponse>((resolve) => {
    resolveResponse = resolve
  })
  let expectedUrl: URL | undefined
  let waitingBrowser: ServerResponse | undefined
  let hasReported = false

  const servers = await listen(redirect, limits, (request, reply) => {
    const readAndReport = (parameters: URLSearchParams) => {
      const parsed = read(parameters)
      if ('problem' in parsed && !hasReported) onUnexpected(parsed.problem)
      if ('problem' in parsed) hasReported = true
      return parsed
    }
    const parsed = expectedUrl
      ? readRequest(request, expectedUrl, readAndReport)
      : { problem: 'The request arrived too early.' }
    if ('problem' in parsed) return send(reply, unexpectedRequestPage(parsed.problem))
    if (waitingBrowser) return send(reply, alreadyUsedPage())
    waitingBrowser = reply
    resolveResponse(parsed)
  })
  const redirectUri = redirect.withPort(portOf(servers))
  expectedUrl = new URL(redirectUri)

  return {
    redirectUri,
    response,
    async close(page) {
      if (waitingBrowser) await deliver(waitingBrowser, page)
      await closeAll(servers)
    },
  }
}

function readRequest(
  { method, url = '', headers }: IncomingMessage,
  expected: URL,
  read: (parameters: URLSearchParams) => ParsedResponse,
): ParsedResponse {
  if (method !== 'GET') return { problem: 'The method is not GET.' }
  // With DNS rebinding, a page of another host reaches this machine and sends the name of that host.
  if (headers.host?.toLowerCase() !== expected.host)
    return { problem: 'The host is not that of the redirect URI.' }
  const [, path, query] = /^([^?]*)(.*)$/s.exec(url) ?? []
  if (path !== expected.pathname) return { problem: 'The path is not that of the redirect URI.' }
  return read(new URLSearchParams(query))
}

function send(response: ServerResponse, page: Page): void {
  response.writeHead(page.status, page.headers).end(page.html)
}

/** Sends the page. Resolves when it is sent, when the browser has disconnected, or after the time limit. */
function deliver(response: ServerResponse, page: Page): Promise<void> {
  return new Promise((resolve) => {
    const { socket } = response
    if (!socket || socket.destroyed) return resolve()
    const timer = setTimeout(resolve, lastPageTimeoutMs)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    send(response, page)
  })
}

/** Listens on every address of the redirect URI that this machine has: `localhost` has up to two. */
async function listen(
  { hosts, port }: Redirect,
  limits: typeof requestLimits,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server[]> {
  const servers: Server[] = []
  const unavailableErrors: Error[] = []
  for (const host of hosts) {
    const server = createServer(limits, handle)
    const error = await bind(server, host, port)
    if (!error) servers.push(server)
    else if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(error.code ?? '')) unavailableErrors.push(error)
    else {
      // If another program has this port on one of the addresses, it could receive the code.
      await closeAll(servers)
      throw listenError(error, host, port)
    }
  }
  const [first] = unavailableErrors
  if (servers.length === 0 && first) throw listenError(first, hosts.join(' and '), port)
  return servers
}

/** Resolves when the server listens, or with the error. */
function bind(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    // The error handler stays: a later error without a handler would end the process.
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

function listenError(error: NodeJS.ErrnoException, host: string, port: number): TtError {
  const address = port === 0 ? host : `port ${port} of ${host}`
  const [message, hint] =
    error.code === 'EADDRINUSE'
      ? [`Another program listens on ${address}, the address of the redirect.`, 'End that program.']
      : error.code === 'EACCES'
        ? [`Listening on ${address} is not allowed.`, 'Use a port from 1024 on.']
        : [`Listening on ${address} failed: ${error.message}.`, undefined]
  const isPortProblem = error.code === 'EADDRINUSE' || error.code === 'EACCES'
  const uri = isPortProblem ? {} : { uri: defaultRedirectUri }
  return new TtError('failure', message, {
    hint,
    nextStep: { action: 'register_redirect_uri', ...uri },
    cause: error,
  })
}
