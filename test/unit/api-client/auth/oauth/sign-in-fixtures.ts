import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import {
  type AuthorizationFlowOptions,
  authorize,
  type CodeGrant,
  type SignInDialog,
  type SignInInstructions,
} from '../../../../../src/api-client/auth/oauth/authorization-flow.js'

/** The options of `authorize`, with the parts of the dialog that a test replaces. */
type RunOptions = Partial<Omit<AuthorizationFlowOptions, 'dialog'>> &
  Pick<SignInDialog, 'openBrowser' | 'promptForUrl'>

/** Starts a sign-in and resolves once it has shown the address to open. The sign-in ends with the test. */
export async function startAuthorization<T = CodeGrant>(
  { openBrowser, promptForUrl, ...options }: RunOptions = {},
  exchange?: (grant: CodeGrant) => Promise<T>,
) {
  const controller = new AbortController()
  const browserErrors: unknown[] = []
  const pasteProblems: string[] = []
  const unexpectedResponses: string[] = []
  let resolveShown: (instructions: SignInInstructions) => void = () => {}
  const shown = new Promise<SignInInstructions>((resolve) => {
    resolveShown = resolve
  })
  const outcome = authorize(
    {
      clientId: 'tt-client',
      scope: 'service:read service:write',
      authorizationEndpoint: 'https://example.com/oauth/authorize',
      signal: controller.signal,
      timeoutMs: 60_000,
      ...options,
      dialog: {
        showInstructions: resolveShown,
        openBrowser,
        showBrowserError: (error) => void browserErrors.push(error),
        promptForUrl,
        showUnexpectedResponse: (problem) => void unexpectedResponses.push(problem),
        showPasteProblem: (problem) => void pasteProblems.push(problem),
        hintText: ({ hint }) => hint,
      },
    },
    exchange ?? (async (grant) => grant as T),
  )
  outcome.catch(() => {}) // Each test checks the outcome itself, some of them late.
  onTestFinished(async () => {
    controller.abort()
    await outcome.catch(() => {})
  })
  const instructions = await Promise.race([
    shown,
    outcome.then(() => {
      throw new Error('The sign-in ended without showing the address.')
    }),
  ])
  const parameters = new URL(instructions.url).searchParams
  const redirectUri = new URL(parameters.get('redirect_uri') ?? '')
  return {
    outcome,
    instructions,
    browserErrors,
    pasteProblems,
    unexpectedResponses,
    parameters,
    redirectUri,
    /** Returns the address to which the service redirects the browser. */
    callbackUrl: (response: Record<string, string> = { code: 'the-code' }) =>
      `${redirectUri.href}?${new URLSearchParams({ state: parameters.get('state') ?? '', ...response })}`,
    interrupt: () => controller.abort(),
  }
}

export const silentDialog: SignInDialog = {
  showInstructions() {},
  showBrowserError() {},
  showUnexpectedResponse() {},
  showPasteProblem() {},
  hintText: () => undefined,
}

/** Sends the texts over one connection and resolves with everything received until the other side closes it. */
export function sendRaw(to: URL, ...texts: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(to.port), to.hostname.replace(/[[\]]/g, ''))
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

/** Returns a request as a browser sends it, with other values where the options name them. */
export function requestFor(
  url: string,
  { method = 'GET', host = new URL(url).host, target = url.slice(new URL(url).origin.length) } = {},
): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n\r\n`
}

/** Returns a prompt that never gets a response, and the abort signals of its calls. */
export function silentTerminal() {
  const prompts: AbortSignal[] = []
  return {
    prompts,
    promptForUrl(signal: AbortSignal): Promise<string> {
      prompts.push(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
}

export function pastingTerminal() {
  let resolvePrompt: (text: string) => void = () => {}
  return {
    paste: (text: string) => resolvePrompt(text),
    promptForUrl: () =>
      new Promise<string>((resolve) => {
        resolvePrompt = resolve
      }),
  }
}
