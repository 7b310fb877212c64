import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { TtError } from '../../../lib/errors.js'
import { type Html, html } from '../../../lib/text/html.js'
import { document, style } from '../../../lib/text/page.js'
import type { AuthorizationResponse, ParsedResponse } from './authorization-response.js'

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

/** The redirect URI of one sign-in, and the addresses of its callback server. */
interface Redirect {
  /** The addresses to listen on; none if the user has to paste the response. */
  readonly hosts: readonly string[]
  /** The port to listen on; 0 is any free port. */
  readonly port: number
  /** Returns the URI to send, exactly as registered, except that `port` is inserted if it has none. */
  withPort(port: number): string
}

/** The default redirect URI, which allows any port of 127.0.0.1. */
export const defaultRedirectUri = 'http://127.0.0.1/callback'
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?([/?].*)?$/i

/**
 * Reads the registered redirect URI; the default is /callback on any free port of 127.0.0.1.
 *
 * 127.0.0.1 and [::1] without a port use a free port (RFC 8252 section 7.3). `localhost` is an ordinary name: its port is
 * the registered one, by default 80. Addresses with another scheme have no callback server. Throws TtError `usage` for
 * text that is not a URI, for a fragment (RFC 6749 section 3.1.2), and for `http:` to another machine, which would send the
 * response unencrypted (RFC 9700 section 2.6).
 */
export function readRedirectUri(text: string = defaultRedirectUri): Redirect {
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) {
    throw invalidUriError(`"${text}" is not a redirect URI.`)
  }
  if (text.includes('#')) throw invalidUriError(`The redirect URI ${text} has a fragment.`)
  const [, host, port, rest = ''] = loopback.exec(text) ?? []
  if (host === undefined) {
    if (new URL(text).protocol === 'http:') {
      throw invalidUriError(`The redirect URI ${text} is neither encrypted nor on this machine.`)
    }
    return { hosts: [], port: 0, withPort: () => text }
  }
  if (host.toLowerCase() === 'localhost') {
    return { hosts: ['127.0.0.1', '::1'], port: Number(port ?? 80), withPort: () => text }
  }
  const hosts = [host.replace(/[[\]]/g, '')]
  if (port !== undefined) return { hosts, port: Number(port), withPort: () => text }
  return { hosts, port: 0, withPort: (free) => `http://${host}:${free}${rest}` }
}

function invalidUriError(message: string): TtError {
  return new TtError('usage', message, {
    hint: `Use the registered redirect URI of the application, such as ${defaultRedirectUri}.`,
    nextStep: { action: 'check_sign_in', values: ['redirect_uri'] },
  })
}

/** A page for the browser at the end of the sign-in. */
interface Page {
  status: number
  headers: Record<string, string>
  html: string
}

/** Returns the page for a completed sign-in. */
export function signedInPage(): Page {
  return page(200, 'Signed in', 'status', ['tt is signed in to the service.'])
}

/**
 * Returns the page for a failed sign-in, with the same text as in the terminal.
 *
 * Its status is 200: browsers report any other status as an error on their console, and the browser made no error.
 */
export function failedPage(error: unknown, hintText: (error: TtError) => string | undefined): Page {
  const texts =
    error instanceof TtError ? [error.message, hintText(error) ?? ''] : ['An error occurred in the terminal.']
  return page(200, 'Not signed in', 'alert', texts)
}

/** Returns the page for a request that is not the authorization response; the sign-in continues. */
export function unexpectedRequestPage(problem: string): Page {
  return page(400, 'Unexpected request', 'alert', [
    `This request is not the response to the sign-in that tt is waiting for. ${problem}`,
    'To sign in, open the address that the terminal shows.',
  ])
}

/** Returns the page for a repeated authorization response, such as after a reload. */
export function alreadyUsedPage(): Page {
  return page(410, 'Already used', 'status', [
    'This response was used before. The terminal shows the outcome of the sign-in.',
  ])
}

function page(status: number, title: string, role: 'status' | 'alert', texts: string[]): Page {
  const { markup } = document(
    `${title} – tt`,
    html`
<h1>${title}</h1>
<div role="${role}" class="${role}">${texts.filter(Boolean).map(paragraph)}</div>
<p class="last">You can close this tab and return to the terminal.</p>`,
  )
  return { status, headers: headersFor(markup), html: markup }
}

/** Returns a paragraph, with text between backticks as code. */
function paragraph(text: string): Html {
  const parts = text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`<p>${parts}</p>`
}

function headersFor(markup: string): Record<string, string> {
  const styleHash = createHash('sha256').update(style).digest('base64')
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(markup)),
    // `img-src data:` allows the empty icon, which prevents a request for /favicon.ico.
    'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    connection: 'close',
  }
}
