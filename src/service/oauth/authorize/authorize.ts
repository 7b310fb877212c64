import { type Html, html } from '../../../lib/html.js'
import { checkCredentials } from '../../accounts/check-credentials.js'
import { getCompany } from '../../admin/company.js'
import type { HttpError } from '../../http/errors.js'
import type { HttpResponse } from '../../http/response.js'
import { readForm, singleValue } from '../form.js'
import { issueAuthorizationCode } from '../grants/authorization-codes.js'
import { buildRedirectUrl, formActionSource } from '../redirect-uri.js'
import type { OAuthRequestContext } from '../request-context.js'
import {
  type AuthorizationRequest,
  InvalidAuthorizationRequest,
  readAuthorizationRequest,
} from './authorization-request.js'
import { consentPage, errorPage, pageHeaders, pageResponse, signInPage } from './pages.js'
import {
  type BrowserSession,
  createFormToken,
  findBrowserSession,
  isValidFormToken,
  sessionCookie,
  signIn,
  signOut,
} from './sessions.js'

/** GET /oauth/authorize: the page to sign in, or the one to consent (service-api-v1.md section 5, step 1). */
export async function showAuthorization(call: OAuthRequestContext): Promise<HttpResponse> {
  return answering(call, async (asked) => {
    const browser = await findBrowserSession(call)
    const page = browser.user
      ? await consent(call, asked, browser, browser.user)
      : await welcome(call, asked, browser)
    return withCookie(page, sessionCookie(call, browser))
  })
}

/** POST /oauth/authorize: what was pressed on one of the two pages. */
export async function submitAuthorization(call: OAuthRequestContext): Promise<HttpResponse> {
  return answering(call, async (asked) => {
    const form = await readForm(call.request)
    const browser = await findBrowserSession(call)
    if (!isFromHere(call) || !isValidFormToken(singleValue(form, 'form_token'), browser))
      return outdated(call)
    switch (singleValue(form, 'action')) {
      case 'sign-in':
        return identify(call, asked, browser, form)
      case 'switch':
        return withCookie(redirect(here(call)), await signOut(call, browser))
      case 'allow':
        return browser.user ? allow(call, asked, browser.user.id) : redirect(here(call))
      case 'deny':
        return refuse(call, new InvalidAuthorizationRequest(asked.redirectUri, asked.state, 'access_denied'))
      default:
        return outdated(call)
    }
  })
}

/** Runs `work` on what the application asks for; errors that it may be told are redirected to it. */
async function answering(
  call: OAuthRequestContext,
  work: (asked: AuthorizationRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await work(await readAuthorizationRequest(call.storage, call.url.searchParams))
  } catch (error) {
    if (error instanceof InvalidAuthorizationRequest) return refuse(call, error)
    throw error
  }
}

async function identify(
  call: OAuthRequestContext,
  asked: AuthorizationRequest,
  browser: BrowserSession,
  form: URLSearchParams,
): Promise<HttpResponse> {
  const email = singleValue(form, 'email') ?? ''
  const verdict = await checkCredentials(call, email, singleValue(form, 'password') ?? '')
  if (verdict === 'wrong') {
    return welcome(call, asked, browser, {
      email,
      alert: 'This email address and password do not belong together.',
    })
  }
  if ('userId' in verdict) {
    return withCookie(redirect(here(call)), await signIn(call, browser, verdict.userId))
  }
  const { retryAfterSeconds } = verdict
  const minutes = Math.ceil(retryAfterSeconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  const alert = `There were too many attempts. Try again in ${wait}.`
  const page = await welcome(call, asked, browser, { email, alert }, 429)
  return { ...page, headers: { ...page.headers, 'Retry-After': String(retryAfterSeconds) } }
}

async function allow(
  call: OAuthRequestContext,
  asked: AuthorizationRequest,
  userId: number,
): Promise<HttpResponse> {
  const code = await issueAuthorizationCode(call.storage, {
    applicationId: asked.application.id,
    userId,
    scopes: asked.scopes,
    redirectUri: asked.redirectUri,
    challenge: asked.codeChallenge,
    now: call.now,
  })
  return redirect(buildRedirectUrl(asked.redirectUri, { code, state: asked.state, iss: call.issuer }))
}

/** RFC 6749 section 4.1.2.1, with the issuer of RFC 9207. */
function refuse(
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

async function welcome(
  call: OAuthRequestContext,
  { application }: AuthorizationRequest,
  browser: BrowserSession,
  again: { email?: string; alert?: string } = {},
  status = 200,
): Promise<HttpResponse> {
  const page = signInPage({
    company: (await getCompany(call.storage)).name,
    application: application.name,
    action: here(call),
    formToken: createFormToken(browser),
    ...again,
  })
  return pageResponse(page, status)
}

async function consent(
  call: OAuthRequestContext,
  { application, scopes, redirectUri }: AuthorizationRequest,
  browser: BrowserSession,
  user: NonNullable<BrowserSession['user']>,
): Promise<HttpResponse> {
  const page = consentPage({
    company: (await getCompany(call.storage)).name,
    application: application.name,
    scopes,
    user,
    redirectUri,
    action: here(call),
    formToken: createFormToken(browser),
  })
  return pageResponse(page, 200, [formActionSource(redirectUri)])
}

/** Forms come from our own pages (RFC 9700 section 4.7); these headers no page can set. */
function isFromHere({ request, issuer }: OAuthRequestContext): boolean {
  const site = request.headers.get('Sec-Fetch-Site')
  const origin = request.headers.get('Origin')
  // With no-referrer, browsers say the origin of a form is "null"; then the rest decides.
  return (
    (site === null || site === 'same-origin') && (origin === null || origin === 'null' || origin === issuer)
  )
}

function outdated(call: OAuthRequestContext): HttpResponse {
  const advice = html`<a href="${here(call)}">Start again</a>, with cookies allowed for this address.`
  return pageResponse(errorPage('This page is out of date', 'Nothing was done.', advice), 403)
}

/** This page again, by a path that names no host. */
const here = ({ url }: OAuthRequestContext) => `${url.pathname}${url.search}`

/** 303: the browser goes on with GET, and never sends the form again (RFC 9700 section 4.12). */
const redirect = (location: string): HttpResponse => ({
  status: 303,
  headers: { Location: location, ...pageHeaders },
  body: null,
})

const withCookie = (reply: HttpResponse, cookie: string): HttpResponse => ({
  ...reply,
  headers: { ...reply.headers, 'Set-Cookie': cookie },
})

/** The page for an error that has nowhere to go. */
export function errorPageResponse({ status, message }: HttpError): HttpResponse {
  return pageResponse(errorPage('This does not work', message, adviceFor(status)), status)
}

function adviceFor(status: number): Html {
  if (status >= 500) return html`Try again in a moment.`
  if (status === 421) return html`Open the address that the administrator has given you.`
  return html`Check how the application is set up: its client id and its redirect URI must be those that are registered here.`
}
