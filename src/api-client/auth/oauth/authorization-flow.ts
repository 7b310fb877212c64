import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi'
import { TtError } from '../../../lib/errors.js'
import { countText } from '../../../lib/text/words.js'
import { minuteMs } from '../../../lib/time-units.js'
import {
  type AuthorizationResponse,
  type ParsedResponse,
  readAuthorizationResponse,
  readPastedUrl,
} from './authorization-response.js'
import {
  type CallbackServer,
  defaultRedirectUri,
  failedPage,
  readRedirectUri,
  signedInPage,
  startCallbackServer,
} from './callback-server.js'

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
  dialog: SignInDialog
  /** Cancels the sign-in, as with Ctrl-C. */
  signal: AbortSignal
  /** Time limit for the user, in milliseconds. */
  timeoutMs: number
}

/** The dialog with the user during a sign-in: it receives data and words it. */
export interface SignInDialog {
  /** Shows the address before the browser opens it; the user must see it even if other output is suppressed. */
  showInstructions(instructions: SignInInstructions): void
  /** Opens the address; undefined if the user opens it. A rejection is passed to `showBrowserError`. */
  openBrowser?: ((url: string) => Promise<void>) | undefined
  /** Shows why the browser could not be opened; the user can open the address. */
  showBrowserError(error: unknown): void
  /** Resolves with the text that the user pastes; undefined if there is no prompt. A rejection ends the sign-in. */
  promptForUrl?: ((signal: AbortSignal) => Promise<string>) | undefined
  /** Shows why a request of the browser is not the response to this sign-in, which continues to wait. */
  showUnexpectedResponse(problem: string): void
  /** Shows why the pasted text is not the response to this sign-in; the next prompt follows. */
  showPasteProblem(problem: string): void
  /** Returns what the user can do about an error, for the page in the browser. */
  hintText(error: TtError): string | undefined
}

/** The address to open, and the values that must match the registration of the application. */
export interface SignInInstructions {
  url: string
  /** The address at which the browser ends. */
  redirectUri: string
  /** Without a port if any port is allowed. */
  registeredRedirectUri: string
  /** Whether a server on this machine receives the response; otherwise the user must paste it. */
  hasCallbackServer: boolean
  clientId: string
  /** Separated by spaces. */
  scope: string
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
  options: AuthorizationFlowOptions,
  exchange: (grant: CodeGrant) => Promise<T>,
): Promise<T> {
  const redirect = readRedirectUri(options.redirectUri)
  const isLoopback = redirect.hosts.length > 0
  if (!isLoopback && !options.dialog.promptForUrl) throw cannotPromptError(redirect.withPort(0))
  if (options.signal.aborted) throw interruptedError()

  const [verifier, state] = [generateRandomCodeVerifier(), generateRandomState()]
  const read = (parameters: URLSearchParams) => readAuthorizationResponse(parameters, { ...options, state })
  const server = isLoopback
    ? await startCallbackServer(redirect, read, (problem) => options.dialog.showUnexpectedResponse(problem))
    : undefined
  const redirectUri = server?.redirectUri ?? redirect.withPort(0)
  try {
    const url = authorizationUrl(options.authorizationEndpoint, {
      ...options,
      redirectUri,
      state,
      challenge: await calculatePKCECodeChallenge(verifier),
    })
    const response = await waitForResponse(options, { url, redirectUri, server, read })
    if ('error' in response) throw response.error
    const result = await unlessAborted(
      options.signal,
      exchange({ code: response.code, redirectUri, verifier }),
    )
    await server?.close(signedInPage())
    return result
  } catch (error) {
    await server?.close(failedPage(error, options.dialog.hintText))
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
  options: AuthorizationFlowOptions,
  signIn: PendingSignIn,
): Promise<AuthorizationResponse> {
  const { dialog, signal, timeoutMs } = options
  const end = new AbortController()
  dialog.showInstructions(instructionsFor(options, signIn))
  void openBrowser(dialog, signIn.url, end.signal)
  const sources = [timeLimit(timeoutMs, end.signal)]
  if (signIn.server) sources.push(signIn.server.response)
  if (dialog.promptForUrl) {
    const endOrCancel = AbortSignal.any([signal, end.signal])
    sources.push(pastedResponse(dialog, dialog.promptForUrl, signIn, endOrCancel))
  }
  try {
    return await unlessAborted(signal, Promise.race(sources))
  } finally {
    end.abort()
  }
}

function instructionsFor(
  {
    redirectUri: registeredRedirectUri = defaultRedirectUri,
    clientId,
    scope,
    timeoutMs,
  }: AuthorizationFlowOptions,
  { url, redirectUri, server }: PendingSignIn,
): SignInInstructions {
  const hasCallbackServer = server !== undefined
  return { url, redirectUri, registeredRedirectUri, hasCallbackServer, clientId, scope, timeoutMs }
}

/** Opens the browser. An error does not end the sign-in: the user can open the address. */
async function openBrowser(dialog: SignInDialog, url: string, end: AbortSignal): Promise<void> {
  try {
    await dialog.openBrowser?.(url)
  } catch (error) {
    if (!end.aborted) dialog.showBrowserError(error)
  }
}

/** Prompts until the pasted text is the response to this sign-in. */
async function pastedResponse(
  dialog: SignInDialog,
  promptForUrl: NonNullable<SignInDialog['promptForUrl']>,
  { redirectUri, read }: PendingSignIn,
  signal: AbortSignal,
): Promise<AuthorizationResponse> {
  for (;;) {
    const response = readPastedUrl(await promptForUrl(signal), redirectUri, read)
    if (!('problem' in response)) return response
    if (signal.aborted) throw interruptedError()
    dialog.showPasteProblem(response.problem)
  }
}

/** Resolves with an error when the time limit has passed, unless the signal is aborted before. */
function timeLimit(timeoutMs: number, signal: AbortSignal): Promise<AuthorizationResponse> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ error: timeLimitError(timeoutMs) }), timeoutMs)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}

function timeLimitError(timeoutMs: number): TtError {
  const limit = timeoutMs < minuteMs ? `${timeoutMs / 1000} s` : countText(timeoutMs / minuteMs, 'minute')
  return new TtError('unauthenticated', `The sign-in was not completed within ${limit}.`, {
    nextStep: { action: 'sign_in_with_other_browser' },
  })
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

/** The parameters of an authorization request (service-api-v1.md section 5, step 1). */
interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  /** Separated by spaces. */
  scope: string
  state: string
  challenge: string
}

/**
 * Returns the address to open in the browser (RFC 6749 section 4.1.1, RFC 7636 section 4.3).
 *
 * Preserves an existing query of the endpoint (RFC 6749 section 3.1). Encodes spaces as %20, which every server decodes,
 * and not as `+`.
 */
export function authorizationUrl(endpoint: string, request: AuthorizationRequest): string {
  const url = new URL(endpoint)
  const added = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scope,
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  })
  url.search = [url.search.slice(1), added.toString().replaceAll('+', '%20')].filter(Boolean).join('&')
  url.hash = ''
  return url.href
}
