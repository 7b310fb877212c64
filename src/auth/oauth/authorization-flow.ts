import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage, TtError } from '../../lib/errors.js'
import {
  type AuthorizationResponse,
  type ParsedResponse,
  readAuthorizationResponse,
  readPastedUrl,
} from './authorization-response.js'
import { authorizationUrl } from './authorization-url.js'
import { type CallbackServer, startCallbackServer } from './callback-server.js'
import { failedPage, signedInPage } from './pages.js'
import { codeChallenge, randomSecret } from './pkce.js'
import { defaultRedirectUri, readRedirectUri } from './redirect-uri.js'

export interface AuthorizationFlowOptions {
  clientId: string
  /** Separated by spaces. */
  scope: string
  /** As registered; the default is /callback on a free port of 127.0.0.1. */
  redirectUri?: string | undefined
  authorizationEndpoint: string
  /** The authorization server, if its metadata names it. */
  issuer?: string | undefined
  /** The metadata has `authorization_response_iss_parameter_supported` (RFC 9207 section 3). */
  supportsIss?: boolean | undefined
  /** Opens the address. When it fails, the reason is printed, and the user can open the address. */
  openBrowser?: ((url: string) => Promise<void>) | undefined
  /** Resolves with the text that the user pastes into the terminal; a rejection ends the sign-in. */
  promptForUrl?: ((signal: AbortSignal) => Promise<string>) | undefined
  /** Prints to the terminal, even if other output is suppressed: the user needs the address to sign in. */
  print(text: string): void
  /** Returns what the user can do about an error, for the page in the browser. */
  hintOf(error: TtError): string | undefined
  /** Cancels the sign-in, as with Ctrl-C. */
  signal: AbortSignal
  /** Time limit for the user, in milliseconds. */
  timeoutMs: number
}

/** The parameters of the token request (RFC 6749 section 4.1.3, RFC 7636 section 4.5). */
export interface CodeGrant {
  code: string
  redirectUri: string
  verifier: string
}

/**
 * Signs in with the browser: authorization code with PKCE and a loopback redirect (RFC 8252, RFC 7636).
 *
 * Resolves with the result of `exchange`, or throws its error; the browser shows the outcome afterwards. The callback
 * server is closed in every case. Throws TtError `usage` for an invalid redirect URI, `failure` when its port is in use,
 * `unauthenticated` for denied consent and after the time limit, `interrupted` when cancelled, `rejected` or
 * `unreachable` for other errors of the authorization server.
 */
export async function authorize<T>(
  request: AuthorizationFlowOptions,
  exchange: (grant: CodeGrant) => Promise<T>,
): Promise<T> {
  const redirect = readRedirectUri(request.redirectUri)
  const isLoopback = redirect.hosts.length > 0
  if (!isLoopback && !request.promptForUrl) throw cannotPromptError(redirect.withPort(0))
  if (request.signal.aborted) throw interruptedError()

  const [verifier, state] = [randomSecret(), randomSecret()]
  const read = (parameters: URLSearchParams) => readAuthorizationResponse(parameters, { ...request, state })
  const server = isLoopback ? await startCallbackServer(redirect, read) : undefined
  const redirectUri = server?.redirectUri ?? redirect.withPort(0)
  try {
    const url = authorizationUrl(request.authorizationEndpoint, {
      ...request,
      redirectUri,
      state,
      challenge: codeChallenge(verifier),
    })
    const response = await waitForResponse(request, { url, redirectUri, server, read })
    if ('error' in response) throw response.error
    const result = await unlessAborted(
      request.signal,
      exchange({ code: response.code, redirectUri, verifier }),
    )
    await server?.close(signedInPage())
    return result
  } catch (error) {
    await server?.close(failedPage(error, request.hintOf))
    throw error
  }
}

/** A sign-in in progress. */
interface PendingSignIn {
  url: string
  redirectUri: string
  server: CallbackServer | undefined
  read: (parameters: URLSearchParams) => ParsedResponse
}

/** Opens the browser, and waits for the first of: callback, pasted URL, time limit, cancellation. */
async function waitForResponse(
  request: AuthorizationFlowOptions,
  signIn: PendingSignIn,
): Promise<AuthorizationResponse> {
  const end = new AbortController()
  printInstructions(request, signIn)
  void openBrowser(request, signIn.url, end.signal)
  const sources = [timeLimit(request.timeoutMs, end.signal)]
  if (signIn.server) sources.push(signIn.server.response)
  if (request.promptForUrl) sources.push(pastedResponse(request.promptForUrl, request, signIn, end.signal))
  try {
    return await unlessAborted(request.signal, Promise.race(sources))
  } finally {
    end.abort()
  }
}

/** Prints the address to open, and what to check: the service may show an error in the browser without a redirect. */
function printInstructions(
  request: AuthorizationFlowOptions,
  { url, redirectUri, server }: PendingSignIn,
): void {
  const registered = request.redirectUri ?? defaultRedirectUri
  request.print(`Open this address in a browser to sign in:\n\n  ${url}\n`)
  request.print(
    [
      `${server ? 'Waiting for the browser to return to' : 'The browser ends at'} ${redirectUri}`,
      `(at most ${formatTime(request.timeoutMs)}; press Ctrl-C to cancel).`,
      '',
      'If it shows an error and does not return, compare the registration of the application:',
      `  client ID     ${request.clientId}`,
      `  redirect URI  ${registered === redirectUri ? registered : `${registered} (with any port)`}`,
      `  scopes        ${request.scope}`,
      '',
      ...(request.promptForUrl ? [pasteInstructions, ''] : []),
    ].join('\n'),
  )
}

const pasteInstructions = `If it ends at a page that cannot be shown, for example on another machine, copy the
full address of that page from the browser and paste it here.`

/** Opens the browser. When that fails, prints the reason: the user can open the address. */
async function openBrowser(request: AuthorizationFlowOptions, url: string, end: AbortSignal): Promise<void> {
  try {
    await request.openBrowser?.(url)
  } catch (error) {
    if (end.aborted) return
    const reason = errorMessage(error)
    request.print(`${reason} Open the address above yourself.`)
  }
}

/** Prompts until the pasted text is the response to this sign-in, and prints what is wrong with other text. */
async function pastedResponse(
  prompt: (signal: AbortSignal) => Promise<string>,
  request: AuthorizationFlowOptions,
  { redirectUri, read }: PendingSignIn,
  end: AbortSignal,
): Promise<AuthorizationResponse> {
  const signal = AbortSignal.any([request.signal, end])
  for (;;) {
    const response = readPastedUrl(await prompt(signal), redirectUri, read)
    if (!('problem' in response)) return response
    if (signal.aborted) throw interruptedError()
    request.print(
      `That is not the response to this sign-in. ${response.problem}\nCopy the full address of the page at which the browser ends.`,
    )
  }
}

async function timeLimit(timeoutMs: number, signal: AbortSignal): Promise<AuthorizationResponse> {
  await sleep(timeoutMs, undefined, { signal })
  const error = new TtError(
    'unauthenticated',
    `The sign-in was not completed within ${formatTime(timeoutMs)}.`,
    {
      nextStep: { action: 'sign_in_with_other_browser' },
    },
  )
  return { error }
}

/** Resolves like the work. Throws TtError `interrupted` as soon as the signal is aborted. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = () => reject(interruptedError())
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel))
  })
}

function interruptedError(): TtError {
  return new TtError('interrupted', 'Interrupted. The sign-in was not completed.')
}

function cannotPromptError(redirectUri: string): TtError {
  return new TtError('usage', `Cannot prompt for the address at ${redirectUri}: not running in a terminal.`, {
    hint: 'Run the command in a terminal, or change the redirect URI.',
    nextStep: { action: 'register_redirect_uri', uri: defaultRedirectUri },
  })
}

function formatTime(milliseconds: number): string {
  const minutes = milliseconds / 60_000
  if (minutes < 1) return `${milliseconds / 1000} s`
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}
