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
  /** As registered; without it, /callback on a free port of 127.0.0.1. */
  redirectUri?: string | undefined
  authorizationEndpoint: string
  /** The authorization server, where its metadata names it. */
  issuer?: string | undefined
  /** The metadata has `authorization_response_iss_parameter_supported` (RFC 9207 section 3). */
  supportsIss?: boolean | undefined
  /** Opens the address; where it fails, the person is told and can open it. */
  openBrowser?: ((url: string) => Promise<void>) | undefined
  /** Resolves with what was pasted into the terminal; rejects, and so ends the sign-in, when nothing ever can be. */
  promptForUrl?: ((signal: AbortSignal) => Promise<string>) | undefined
  /** Tells the person, whatever the output: they cannot sign in without what is said here. */
  print(text: string): void
  /** Gives up, as with Ctrl-C. */
  signal: AbortSignal
  /** How long the person may take. */
  timeoutMs: number
}

/** What the token endpoint needs (RFC 6749 section 4.1.3, RFC 7636 section 4.5). */
export interface CodeGrant {
  code: string
  redirectUri: string
  verifier: string
}

/**
 * Signs a person in with the browser: authorization code with PKCE and a loopback redirect (RFC 8252, RFC 7636).
 *
 * `exchange` runs before the browser is shown what came of it; its value is the value, its error the error. No
 * listener is left, however it ends. Throws TtError `usage` for a redirect URI that cannot be used, `failure` when
 * its port is taken, `unauthenticated` for denied consent and when time is up, `interrupted` when given up,
 * `rejected` or `unreachable` for other errors of the authorization server.
 */
export async function authorize<T>(
  request: AuthorizationFlowOptions,
  exchange: (grant: CodeGrant) => Promise<T>,
): Promise<T> {
  const redirect = readRedirectUri(request.redirectUri)
  const listens = redirect.hosts.length > 0
  if (!listens && !request.promptForUrl) throw nobodyPastes(redirect.withPort(0))
  if (request.signal.aborted) throw interrupted()

  const [verifier, state] = [randomSecret(), randomSecret()]
  const read = (parameters: URLSearchParams) => readAuthorizationResponse(parameters, { ...request, state })
  const landing = listens ? await startCallbackServer(redirect, read) : undefined
  const redirectUri = landing?.redirectUri ?? redirect.withPort(0)
  try {
    const url = authorizationUrl(request.authorizationEndpoint, {
      ...request,
      redirectUri,
      state,
      challenge: codeChallenge(verifier),
    })
    const answer = await firstAnswer(request, { url, redirectUri, landing, read })
    if ('error' in answer) throw answer.error
    const result = await unlessAborted(request.signal, exchange({ code: answer.code, redirectUri, verifier }))
    await landing?.close(signedInPage())
    return result
  } catch (error) {
    await landing?.close(failedPage(error))
    throw error
  }
}

/** One sign-in under way. */
interface Asking {
  url: string
  redirectUri: string
  landing: CallbackServer | undefined
  read: (parameters: URLSearchParams) => ParsedResponse
}

/** Sends the person to the browser, and waits for the first of: callback, paste, time limit, interruption. */
async function firstAnswer(
  request: AuthorizationFlowOptions,
  asking: Asking,
): Promise<AuthorizationResponse> {
  const over = new AbortController()
  tell(request, asking)
  void show(request, asking.url, over.signal)
  const ways = [timeLimit(request.timeoutMs, over.signal)]
  if (asking.landing) ways.push(asking.landing.response)
  if (request.promptForUrl) ways.push(pastedAnswer(request.promptForUrl, request, asking, over.signal))
  try {
    return await unlessAborted(request.signal, Promise.race(ways))
  } finally {
    over.abort()
  }
}

/** Says where to go, and what to check: the service may show an error in the browser without coming back. */
function tell(request: AuthorizationFlowOptions, { url, redirectUri, landing }: Asking): void {
  const registered = request.redirectUri ?? defaultRedirectUri
  request.print(`Open this address in a browser to sign in:\n\n  ${url}\n`)
  request.print(
    [
      `${landing ? 'Waiting for the browser to come back to' : 'The browser ends at'} ${redirectUri}`,
      `(at most ${spoken(request.timeoutMs)}; Ctrl-C gives up).`,
      '',
      'If it shows an error and stays there, compare how the application is registered:',
      `  client id     ${request.clientId}`,
      `  redirect URI  ${registered === redirectUri ? registered : `${registered} (with any port)`}`,
      `  scopes        ${request.scope}`,
      '',
      ...(request.promptForUrl ? [howToPaste, ''] : []),
    ].join('\n'),
  )
}

const howToPaste = `If it ends at a page that cannot be shown, as on another machine, copy the whole
address of that page from the browser and paste it here.`

/** Opens the browser, and says so when that fails: the address can be opened by hand. */
async function show(request: AuthorizationFlowOptions, url: string, over: AbortSignal): Promise<void> {
  try {
    await request.openBrowser?.(url)
  } catch (error) {
    if (over.aborted) return
    const reason = errorMessage(error)
    request.print(`${reason} Open the address above yourself.`)
  }
}

/** Asks until what is pasted is the answer, and says each time what is wrong with it. */
async function pastedAnswer(
  ask: (signal: AbortSignal) => Promise<string>,
  request: AuthorizationFlowOptions,
  { redirectUri, read }: Asking,
  over: AbortSignal,
): Promise<AuthorizationResponse> {
  const signal = AbortSignal.any([request.signal, over])
  for (;;) {
    const reading = readPastedUrl(await ask(signal), redirectUri, read)
    if (!('problem' in reading)) return reading
    if (signal.aborted) throw interrupted()
    request.print(
      `That is not the answer. ${reading.problem}\nCopy the whole address of the page that the browser ends at.`,
    )
  }
}

async function timeLimit(timeoutMs: number, signal: AbortSignal): Promise<AuthorizationResponse> {
  await sleep(timeoutMs, undefined, { signal })
  const error = new TtError('unauthenticated', `Nobody signed in within ${spoken(timeoutMs)}.`, {
    hint: 'Run `tt login` again; without a browser on this machine, add --no-browser and paste the address.',
  })
  return { error }
}

/** The outcome of the work, or TtError `interrupted` as soon as the signal says so. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(interrupted())
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

function interrupted(): TtError {
  return new TtError('interrupted', 'Interrupted. Nobody was signed in.')
}

function nobodyPastes(redirectUri: string): TtError {
  return new TtError(
    'usage',
    `The answer at ${redirectUri} has to be pasted, and nobody is there to do it.`,
    {
      hint: `Run it in a terminal, or register ${defaultRedirectUri} and leave --redirect-uri out.`,
    },
  )
}

function spoken(milliseconds: number): string {
  const minutes = milliseconds / 60_000
  if (minutes < 1) return `${milliseconds / 1000} s`
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
}
