import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type AuthorizationFlowOptions,
  authorize,
  type CodeGrant,
} from '../../../../src/auth/oauth/authorization-flow.js'

export interface AuthorizationRun<T> {
  outcome: Promise<T>
  /** Everything said so far. */
  output: string[]
  /** The parameters of the authorization address. */
  parameters: URLSearchParams
  /** The redirect URI that was sent. */
  redirectUri: URL
  /** The address that the browser would be sent back to. */
  callbackUrl(parameters?: Record<string, string>): string
  /** Gives up, as Ctrl-C does. */
  interrupt(): void
}

/** Begins to sign in, and resolves when the address to open has been said. It has ended when the test is over. */
export async function startAuthorization<T = CodeGrant>(
  options: Partial<AuthorizationFlowOptions> = {},
  exchange?: (grant: CodeGrant) => Promise<T>,
): Promise<AuthorizationRun<T>> {
  const controller = new AbortController()
  const output: string[] = []
  let heard: (url: string) => void = () => {}
  const url = new Promise<string>((resolve) => {
    heard = resolve
  })
  const outcome = authorize(
    {
      clientId: 'tt-client',
      scope: 'service:read service:write',
      authorizationEndpoint: 'https://example.com/oauth/authorize',
      signal: controller.signal,
      timeoutMs: 60_000,
      hintOf: ({ hint }) => hint,
      ...options,
      print(text) {
        output.push(text)
        const address = /https:\/\/example\.com\S+/.exec(text)
        if (address) heard(address[0])
      },
    },
    exchange ?? (async (grant) => grant as T),
  )
  outcome.catch(() => {}) // Each test looks at the outcome itself, some of them late.
  onTestFinished(async () => {
    controller.abort()
    await outcome.catch(() => {})
  })
  const spoken = await Promise.race([url, outcome.then(() => '')])
  const parameters = new URL(spoken).searchParams
  const redirectUri = new URL(parameters.get('redirect_uri') ?? '')
  return {
    outcome,
    output,
    parameters,
    redirectUri,
    callbackUrl: (response = { code: 'the-code' }) =>
      `${redirectUri.href}?${new URLSearchParams({ state: parameters.get('state') ?? '', ...response })}`,
    interrupt: () => controller.abort(),
  }
}

/** The host of a URL, as sockets want it. */
export const hostOf = (url: URL) => url.hostname.replace(/[[\]]/g, '')

/** Sends the text over one connection, and resolves with all that came back until the other side ended it. */
export function sendRaw(to: URL, ...texts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(to.port), hostOf(to))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(received))
    socket.on('connect', async () => {
      for (const text of texts) {
        await new Promise((written) => socket.write(text, written))
        await new Promise(setImmediate)
      }
    })
  })
}

/** A request as a browser would send it, unless something else is given. */
export function requestFor(
  url: string,
  { method = 'GET', host = new URL(url).host, target = url.slice(new URL(url).origin.length) } = {},
): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n\r\n`
}

/** Whether anybody listens there. */
export function isListening(at: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(at.port), hostOf(at))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

/** A terminal into which nothing is ever pasted; it remembers the signals of its questions. */
export function silentTerminal() {
  const questions: AbortSignal[] = []
  return {
    questions,
    pasted(signal: AbortSignal): Promise<string> {
      questions.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
}
