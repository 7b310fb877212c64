import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type AuthorizationFlowOptions,
  authorize,
  type CodeGrant,
} from '../../../../src/auth/oauth/authorization-flow.js'

export interface Begun<T> {
  outcome: Promise<T>
  /** Everything said so far. */
  said: string[]
  /** The parameters of the authorization address. */
  asked: URLSearchParams
  /** The redirect URI that was sent. */
  landing: URL
  /** The address that the browser would be sent back to. */
  back(parameters?: Record<string, string>): string
  /** Gives up, as Ctrl-C does. */
  interrupt(): void
}

/** Begins to sign in, and resolves when the address to open has been said. It has ended when the test is over. */
export async function begin<T = CodeGrant>(
  options: Partial<AuthorizationFlowOptions> = {},
  exchange?: (grant: CodeGrant) => Promise<T>,
): Promise<Begun<T>> {
  const controller = new AbortController()
  const said: string[] = []
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
      ...options,
      print(text) {
        said.push(text)
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
  const asked = new URL(spoken).searchParams
  const landing = new URL(asked.get('redirect_uri') ?? '')
  return {
    outcome,
    said,
    asked,
    landing,
    back: (parameters = { code: 'the-code' }) =>
      `${landing.href}?${new URLSearchParams({ state: asked.get('state') ?? '', ...parameters })}`,
    interrupt: () => controller.abort(),
  }
}

/** The host of a URL, as sockets want it. */
export const hostOf = (url: URL) => url.hostname.replace(/[[\]]/g, '')

/** Sends the text over one connection, and resolves with all that came back until the other side ended it. */
export function exchangeBytes(to: URL, ...texts: string[]): Promise<string> {
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
export function listens(at: URL): Promise<boolean> {
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
