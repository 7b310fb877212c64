import { type Html, html } from '../../../lib/text/html.js'
import { checkCredentials } from '../../accounts/check-credentials.js'
import { getCompany } from '../../admin/company.js'
import type { HttpError } from '../../http/http-error.js'
import type { HttpResponse } from '../../http/response.js'
import { readForm, readParameter } from '../form-parameters.js'
import { issueAuthorizationCode } from '../grants/authorization-codes.js'
import { providerPath } from '../identity-provider/paths.js'
import type { OAuthRequestContext } from '../oauth-request-context.js'
import { buildRedirectUrl, formActionSource } from '../redirect-uri.js'
import {
  type AuthorizationRequest,
  InvalidAuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.js'
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
