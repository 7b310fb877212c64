import { type Scope, scopes } from '../../../api-client/types.js'
import { type Html, html } from '../../../lib/text/html.js'
import { checkCredentials } from '../../accounts/check-credentials.js'
import { getCompany } from '../../admin/company.js'
import { badRequest, HttpError, type HttpResponse } from '../../http/response.js'
import type { Storage } from '../../storage/storage.js'
import {
  buildRedirectUrl,
  findApplication,
  formActionSource,
  isRegisteredRedirectUri,
  type RegisteredApplication,
} from '../applications.js'
import { issueAuthorizationCode } from '../grants/grants.js'
import { providerPath } from '../identity-provider/provider-sign-in.js'
import { type OAuthRequestContext, readForm, readParameter } from '../oauth-request-context.js'
import {
  type BrowserSession,
  createFormToken,
  findBrowserSession,
  isSessionOpen,
  isValidFormToken,
  sessionCookie,
  signIn,
  signOut,
} from './sessions.js'
import { consentPage, errorPage, pageResponse, redirect, signInPage, withCookie } from './sign-in-pages.js'

/** GET /oauth/authorize: shows the sign-in page or the consent page (service-api-v1.md section 5, step 1). */
export async function showAuthorization(context: OAuthRequestContext): Promise<HttpResponse> {
  return withAuthorizationRequest(context, async (authorization) => {
    const session = await findBrowserSession(context)
    const page = session.user
      ? await showConsentPage(context, authorization, session, session.user)
      : await showSignInPage(context, authorization, session)
    return withCookie(page, sessionCookie(context, session))
  })
}

/** POST /oauth/authorize: handles the buttons of both pages. */
export async function submitAuthorization(context: OAuthRequestContext): Promise<HttpResponse> {
  return withAuthorizationRequest(context, async (authorization) => {
    const form = await readForm(context.request)
    const session = await findBrowserSession(context)
    if (!isSameOrigin(context) || !isValidFormToken(readParameter(form, 'form_token'), session))
      return outdatedPage(context)
    switch (readParameter(form, 'action')) {
      case 'sign-in':
        return signInWithPassword(context, authorization, session, form)
      case 'switch':
        return withCookie(redirect(currentPath(context)), await signOut(context, session))
      case 'allow':
        return session.user
          ? issueCode(context, authorization, session, session.user.id)
          : redirect(currentPath(context))
      case 'deny':
        return redirectError(
          context,
          new InvalidAuthorizationRequest(authorization.redirectUri, authorization.state, 'access_denied'),
        )
      default:
        return outdatedPage(context)
    }
  })
}

/** Runs `work` with the authorization request; redirects errors to the application if that is safe. */
async function withAuthorizationRequest(
  context: OAuthRequestContext,
  work: (authorization: AuthorizationRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await work(await readAuthorizationRequest(context.storage, context.url.searchParams))
  } catch (error) {
    if (error instanceof InvalidAuthorizationRequest) return redirectError(context, error)
    throw error
  }
}

async function signInWithPassword(
  context: OAuthRequestContext,
  authorization: AuthorizationRequest,
  session: BrowserSession,
  form: URLSearchParams,
): Promise<HttpResponse> {
  const email = readParameter(form, 'email') ?? ''
  const result = await checkCredentials(context, email, readParameter(form, 'password') ?? '')
  if (result === 'wrong') {
    return showSignInPage(context, authorization, session, {
      email,
      alert: 'The email address or the password is wrong.',
    })
  }
  if ('userId' in result) {
    const cookie = await signIn(context, session, result)
    const page = redirect(currentPath(context))
    return cookie === undefined ? page : withCookie(page, cookie)
  }
  const { retryAfterSeconds } = result
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const wait = minutes === 1 ? '1 minute' : `${minutes} minutes`
  const alert = `Too many failed attempts. Try again in ${wait}.`
  const page = await showSignInPage(context, authorization, session, { email, alert }, 429)
  return { ...page, headers: { ...page.headers, 'Retry-After': String(retryAfterSeconds) } }
}

async function issueCode(
  context: OAuthRequestContext,
  authorization: AuthorizationRequest,
  session: BrowserSession,
  userId: number,
): Promise<HttpResponse> {
  const code = await issueAuthorizationCode(context.storage, {
    applicationId: authorization.application.id,
    applicationName: authorization.application.name,
    address: context.address,
    userId,
    scopes: authorization.scopes,
    redirectUri: authorization.redirectUri,
    codeChallenge: authorization.codeChallenge,
    now: context.now,
    isSignedIn: (queries) => isSessionOpen(queries, session, context.now),
  })
  if (code === undefined) return redirect(currentPath(context))
  return redirect(
    buildRedirectUrl(authorization.redirectUri, { code, state: authorization.state, iss: context.issuer }),
  )
}

/** Redirects with an error response (RFC 6749 section 4.1.2.1), including the issuer (RFC 9207). */
function redirectError(
  { issuer }: OAuthRequestContext,
  { redirectUri, state, code, message }: InvalidAuthorizationRequest,
): HttpResponse {
  return redirect(
    buildRedirectUrl(redirectUri, {
      error: code,
      error_description: message || undefined,
      state,
      iss: issuer,
    }),
  )
}

async function showSignInPage(
  context: OAuthRequestContext,
  { application }: AuthorizationRequest,
  session: BrowserSession,
  retry: { email?: string; alert?: string } = {},
  status = 200,
): Promise<HttpResponse> {
  const page = signInPage({
    company: (await getCompany(context.storage)).name,
    application: application.name,
    action: currentPath(context),
    formToken: createFormToken(session),
    provider: context.identityProvider && {
      name: context.identityProvider.name,
      url: `${providerPath}${context.url.search}`,
    },
    ...retry,
  })
  return pageResponse(page, status)
}

async function showConsentPage(
  context: OAuthRequestContext,
  { application, scopes, redirectUri }: AuthorizationRequest,
  session: BrowserSession,
  user: NonNullable<BrowserSession['user']>,
): Promise<HttpResponse> {
  const page = consentPage({
    company: (await getCompany(context.storage)).name,
    application: application.name,
    scopes,
    user,
    redirectUri,
    action: currentPath(context),
    formToken: createFormToken(session),
  })
  return pageResponse(page, 200, { formActions: [formActionSource(redirectUri)] })
}

/** Whether a form comes from our own pages (RFC 9700 section 4.7): no page can set these headers. */
function isSameOrigin({ request, issuer }: OAuthRequestContext): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  const origin = request.headers.get('Origin')
  // With no-referrer, browsers send "null" as the origin of a form; the other checks decide then.
  return (
    (site === null || site === 'same-origin') && (origin === null || origin === 'null' || origin === issuer)
  )
}

function outdatedPage(context: OAuthRequestContext): HttpResponse {
  const advice = html`<a href="${currentPath(context)}">Start again</a> and allow cookies for this address.`
  return pageResponse(errorPage('This page has expired', 'Nothing was changed.', advice), 403)
}

/** Returns the path and query of this page, without the host. */
const currentPath = ({ url }: OAuthRequestContext) => `${url.pathname}${url.search}`

/**
 * Returns the page for an error that cannot be reported to an application.
 *
 * @param isSignIn whether it is an error of the sign-in, not of an address for programs
 */
export function errorPageResponse(
  { status, message, headers }: HttpError,
  { isSignIn }: { isSignIn: boolean },
): HttpResponse {
  const title = status >= 500 ? 'Error of the service' : (titles[status] ?? 'Invalid request')
  const response = pageResponse(errorPage(title, message, adviceFor(status, isSignIn)), status)
  return { ...response, headers: { ...response.headers, ...headers } }
}

const titles: Readonly<Record<number, string>> = {
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not allowed',
  429: 'Too many requests',
}

function adviceFor(status: number, isSignIn: boolean): Html {
  if (status >= 500 || status === 429) return html`Try again in a moment.`
  if (status === 421) return html`Open the address that the administrator has given you.`
  if (isSignIn && titles[status] === undefined)
    return html`Check the settings of the application: its client ID and its redirect URI must be registered here.`
  return html`The <a href="/">start page</a> says how to sign in, and <a href="/docs">the API page</a> which addresses there are.`
}

/** A valid authorization request of an application (service-api-v1.md section 5, step 1). */
interface AuthorizationRequest {
  application: RegisteredApplication
  redirectUri: string
  state: string | undefined
  scopes: Scope[]
  /** S256 (RFC 7636). */
  codeChallenge: string
}

/** An invalid request that is reported to the application at its redirect URI (RFC 6749 section 4.1.2.1). */
class InvalidAuthorizationRequest extends Error {
  constructor(
    readonly redirectUri: string,
    readonly state: string | undefined,
    readonly code: string,
    /** The error description; undefined when the code is sufficient. */
    message?: string,
  ) {
    super(message)
  }
}

/**
 * Validates the parameters of the authorization endpoint.
 *
 * Throws HttpError 400 for an unknown application or redirect URI, because the browser must not be redirected then (RFC
 * 9700 section 4.11.2), and InvalidAuthorizationRequest for all other problems.
 */
async function readAuthorizationRequest(
  storage: Storage,
  parameters: URLSearchParams,
): Promise<AuthorizationRequest> {
  const { application, redirectUri } = await findRecipient(storage, parameters)
  const states = parameters.getAll('state')
  const state = states.length === 1 ? states[0] || undefined : undefined
  const invalidRequest = (code: string, message: string) =>
    new InvalidAuthorizationRequest(redirectUri, state, code, message)
  const read = (name: string) => {
    try {
      return readParameter(parameters, name)
    } catch (error) {
      throw error instanceof HttpError ? invalidRequest('invalid_request', error.message) : error
    }
  }
  if (states.length > 1) throw invalidRequest('invalid_request', 'state is repeated.')
  const responseType = read('response_type')
  if (responseType === undefined) throw invalidRequest('invalid_request', 'response_type is missing.')
  if (responseType !== 'code')
    throw invalidRequest('unsupported_response_type', 'response_type must be code.')
  if ((read('response_mode') ?? 'query') !== 'query') {
    throw invalidRequest('invalid_request', 'response_mode must be query.')
  }
  const challenge = read('code_challenge')
  if (challenge === undefined)
    throw invalidRequest('invalid_request', 'code_challenge is missing: PKCE is required.')
  if (read('code_challenge_method') !== 'S256') {
    throw invalidRequest('invalid_request', 'code_challenge_method must be S256.')
  }
  if (!/^[\w-]{43}$/.test(challenge)) {
    throw invalidRequest(
      'invalid_request',
      'code_challenge must be the 43 characters of a SHA-256 in base64url.',
    )
  }
  const requestedScopes = parseScopes(read('scope'))
  if (!requestedScopes)
    throw invalidRequest('invalid_scope', `scope must be ${scopes.join(' or ')}, or both.`)
  return { application, redirectUri, state, scopes: requestedScopes, codeChallenge: challenge }
}

async function findRecipient(storage: Storage, parameters: URLSearchParams) {
  const clientId = readParameter(parameters, 'client_id')
  const redirectUri = readParameter(parameters, 'redirect_uri')
  if (clientId === undefined) throw badRequest('The client_id is missing.')
  const application = isVisibleAscii(clientId) ? await findApplication(storage, clientId) : undefined
  if (!application) throw badRequest('No application with this client_id is registered.')
  if (redirectUri === undefined) throw badRequest('The redirect_uri is missing.')
  if (!isRegisteredRedirectUri(redirectUri, application.redirectUris)) {
    throw badRequest(`${redirectUri} is not a registered redirect URI of ${application.name}.`)
  }
  return { application, redirectUri }
}

/** Whether the text is printable ASCII without spaces, which every database can compare. */
const isVisibleAscii = (text: string) => /^[!-~]+$/.test(text)

/** Returns the scopes of a list separated by spaces, in canonical order; undefined when it is empty or one is unknown. */
function parseScopes(text: string | undefined): Scope[] | undefined {
  const names = text?.split(' ').filter(Boolean) ?? []
  const known = scopes.filter((scope) => names.includes(scope))
  return names.length > 0 && names.every((name) => known.some((scope) => scope === name)) ? known : undefined
}
