import { AuthorizationResponseError } from 'oauth4webapi'
import { type Html, html } from '../../../lib/text/html.js'
import { appendAudit, appendUserAudit } from '../../admin/audit-log.js'
import { normalizeEmail } from '../../admin/users.js'
import { HttpError, notFound } from '../../http/http-error.js'
import type { HttpResponse } from '../../http/response.js'
import { type BrowserSession, findBrowserSession, sessionCookie, signIn } from '../authorize/sessions.js'
import { errorPage, pageResponse, redirect, withCookie } from '../authorize/sign-in-pages.js'
import type { OAuthRequestContext } from '../oauth-request-context.js'
import type { Identity, IdentityProvider, SignInAttempt } from './identity-provider.js'
import { findLinkedUser, type Refusal } from './linked-users.js'
import { providerCallbackPath } from './paths.js'
import { resumeAttempt, startAttempt } from './sign-in-attempt.js'

/** GET providerPath: redirects to the identity provider (OpenID Connect Core section 3.1.2.1). */
export async function startProviderSignIn(context: OAuthRequestContext): Promise<HttpResponse> {
  const provider = providerOf(context)
  const session = await findBrowserSession(context)
  const { now, url } = context
  const attempt = startAttempt({ secret: session.secret, query: url.search, now }, redirectUriOf(context))
  if (!attempt) throw new HttpError(414, 'uri_too_long', 'The authorization request is too long.')
  const location = await reporting(context, provider, () => provider.authorizationUrl(attempt))
  return withCookie(redirect(location), sessionCookie(context, session))
}

/** GET providerCallbackPath: signs the user in and continues the authorization request. */
export async function finishProviderSignIn(context: OAuthRequestContext): Promise<HttpResponse> {
  const provider = providerOf(context)
  const session = await findBrowserSession(context)
  const { now, url } = context
  const state = url.searchParams.get('state') ?? ''
  const resumed = resumeAttempt({ secret: session.secret, state, now }, redirectUriOf(context))
  if (!resumed)
    return refusalPage(
      'This sign-in has expired',
      'You are not signed in.',
      html`Start again from the application.`,
    )
  const back = `/oauth/authorize${resumed.query}`
  try {
    const identity = await identify(context, provider, resumed.attempt)
    return await signInIdentity(context, { provider, session, identity, back })
  } catch (error) {
    if (!(error instanceof AuthorizationResponseError)) throw error
    context.onSignIn?.('wrong')
    const reason = error.error_description ?? error.error
    return refusalPage('Not signed in', `${provider.name} reports: ${reason}`, tryAgain(back))
  }
}

async function signInIdentity(
  context: OAuthRequestContext,
  { provider, session, identity, back }: SignInParts,
): Promise<HttpResponse> {
  const { storage, address, now } = context
  const details = identity.issuer
  const found = await findLinkedUser(storage, identity, context)
  const cookie = typeof found === 'string' ? undefined : await signIn(context, session, found)
  if (typeof found === 'string' || cookie === undefined) {
    context.onSignIn?.('wrong')
    // The provider has checked the identity, so the email address is not a password in the wrong field.
    const { email, emailVerified } = identity
    const actor = emailVerified && email !== undefined ? normalizeEmail(email) : null
    await appendAudit(storage.queries, { at: now, event: 'sign_in_failed', actor, address, details })
    const refusal = typeof found === 'string' ? found : 'inactive'
    return refusalPage('Not signed in', refusalText(refusal, provider.name, identity), tryAgain(back))
  }
  context.onSignIn?.('success')
  await appendUserAudit(storage.queries, found.userId, { at: now, event: 'sign_in', address, details })
  return withCookie(redirect(back), cookie)
}

interface SignInParts {
  provider: IdentityProvider
  session: BrowserSession
  identity: Identity
  /** The path and query of the page to continue with. */
  back: string
}

function refusalText(refusal: Refusal, provider: string, { email = '' }: Identity): string {
  switch (refusal) {
    case 'email-missing':
      return `${provider} did not send an email address.`
    case 'email-unverified':
      return `${provider} has not verified the email address ${email}.`
    case 'unknown':
      return `There is no account for ${email}. Ask the administrator to add it.`
    case 'inactive':
      return 'Your account is inactive. Ask the administrator to activate it.'
    case 'linked-to-another':
      return `The account of ${email} belongs to another user of ${provider}. Ask the administrator to remove that link.`
  }
}

function identify(
  context: OAuthRequestContext,
  provider: IdentityProvider,
  attempt: SignInAttempt,
): Promise<Identity> {
  return reporting(context, provider, () => provider.identify(context.url, attempt))
}

/** Reports an error of the provider and throws HttpError 502; an error response of the provider is thrown unchanged. */
async function reporting<Result>(
  { reportError }: OAuthRequestContext,
  { name }: IdentityProvider,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw error
    reportError(error)
    throw new HttpError(502, 'bad_gateway', `The sign-in with ${name} is not available at the moment.`)
  }
}

function providerOf({ identityProvider }: OAuthRequestContext): IdentityProvider {
  if (!identityProvider) throw notFound('There is no sign-in with another service here.')
  return identityProvider
}

const redirectUriOf = ({ issuer }: OAuthRequestContext) => `${issuer}${providerCallbackPath}`

const tryAgain = (back: string) => html`<a href="${back}">Back to the sign-in</a>`

const refusalPage = (title: string, problem: string, advice: Html) =>
  pageResponse(errorPage(title, problem, advice), 403)
