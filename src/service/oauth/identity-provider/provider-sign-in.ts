import { createHmac, randomBytes } from 'node:crypto'
import { AuthorizationResponseError } from 'oauth4webapi'
import { isObject } from '../../../lib/is-object.js'
import { isSameSecret } from '../../../lib/is-same-secret.js'
import { type Html, html } from '../../../lib/text/html.js'
import { lockUser } from '../../accounts/tokens.js'
import { appendAudit, appendUserAudit } from '../../admin/audit-log.js'
import { normalizeEmail } from '../../admin/users.js'
import { HttpError, type HttpResponse, notFound } from '../../http/response.js'
import { isStorable } from '../../resources/values.js'
import type { Queries } from '../../storage/queries.js'
import { ownerEmail } from '../../storage/schema.js'
import { insertInto, sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { type BrowserSession, findBrowserSession, sessionCookie, signIn } from '../authorize/sessions.js'
import { errorPage, pageResponse, redirect, withCookie } from '../authorize/sign-in-pages.js'
import type { OAuthRequestContext } from '../oauth-request-context.js'
import type { Identity, IdentityProvider, SignInAttempt } from './identity-provider.js'

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

/** The path of the link on the sign-in page, which is followed by the query of the authorization request. */
export const providerPath = '/oauth/authorize/provider'
/** The path to which the provider redirects the browser. */
export const providerCallbackPath = `${providerPath}/callback`

const redirectUriOf = ({ issuer }: OAuthRequestContext) => `${issuer}${providerCallbackPath}`

const tryAgain = (back: string) => html`<a href="${back}">Back to the sign-in</a>`

const refusalPage = (title: string, problem: string, advice: Html) =>
  pageResponse(errorPage(title, problem, advice), 403)

/** Why the user is not signed in. */
type Refusal = 'email-missing' | 'email-unverified' | 'unknown' | 'inactive' | 'linked-to-another'

/**
 * Returns the user who is linked to an identity. At the first sign-in the user with its verified email address is linked
 * for good: from then on only issuer and subject count, because an email address can be given to another person.
 */
export async function findLinkedUser(
  storage: Storage,
  identity: Identity,
  { address, now }: { address: string; now: number },
): Promise<{ userId: number } | Refusal> {
  const { issuer, subject, email, emailVerified } = identity
  if (![issuer, subject].every(isStorable)) return 'unknown'
  return storage.queries.transaction(async (queries) => {
    const linkedId = await findLink(queries, identity)
    if (linkedId !== undefined) return (await lockUser(queries, linkedId)) ? { userId: linkedId } : 'inactive'
    if (email === undefined) return 'email-missing'
    if (!emailVerified) return 'email-unverified'
    const user = await findUser(queries, email)
    if (!user) return 'unknown'
    if (!(await lockUser(queries, user.id))) return 'inactive'
    const link = insertInto('identities', { issuer, subject, user_id: user.id, created_at: now })
    const [added] = await queries.all(sql`${link} on conflict do nothing returning user_id`)
    // Another request may have linked the same identity since.
    if (!added)
      return (await findLink(queries, identity)) === user.id ? { userId: user.id } : 'linked-to-another'
    await appendUserAudit(queries, user.id, { at: now, event: 'identity_linked', address, details: issuer })
    return { userId: user.id }
  })
}

async function findLink(queries: Queries, { issuer, subject }: Identity): Promise<number | undefined> {
  const [link] = await queries.all<{ user_id: number }>(
    sql`select user_id from identities where issuer = ${issuer} and subject = ${subject}`,
  )
  return link?.user_id
}

/** Returns the user with that email address; never the owner of a local workspace, who administers it. */
async function findUser(queries: Queries, email: string): Promise<{ id: number } | undefined> {
  const address = normalizeEmail(email)
  if (!isStorable(address) || address === ownerEmail) return undefined
  const [user] = await queries.all<{ id: number }>(sql`select id from users where email = ${address}`)
  return user
}

/** The contents of the state that the provider returns unchanged. */
interface StateContents {
  /** The query of the authorization request that the sign-in continues. */
  query: string
  /** Epoch milliseconds. */
  startedAt: number
  random: string
}

const lifetimeMs = 15 * 60_000
const maxQueryLength = 4000

/**
 * Starts an attempt to sign in. The state is signed with the secret of the browser session, and nonce and code verifier are
 * derived from both, so that every node can complete the attempt, and only in the same browser. Returns undefined for a
 * query that is too long for a URL.
 */
function startAttempt(
  { secret, query, now }: { secret: string; query: string; now: number },
  redirectUri: string,
): SignInAttempt | undefined {
  if (query.length > maxQueryLength) return undefined
  const contents: StateContents = { query, startedAt: now, random: randomBytes(16).toString('base64url') }
  const text = Buffer.from(JSON.stringify(contents)).toString('base64url')
  return createAttempt(`${text}.${sign(secret, 'state', text)}`, secret, redirectUri)
}

/** Returns the attempt with that state, and its query; undefined if it belongs to another browser or is too old. */
function resumeAttempt(
  { secret, state, now }: { secret: string; state: string; now: number },
  redirectUri: string,
): { attempt: SignInAttempt; query: string } | undefined {
  const [text = '', signature = ''] = state.split('.')
  if (!isSameSecret(signature, sign(secret, 'state', text))) return undefined
  const contents: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
  if (!isObject(contents) || typeof contents.query !== 'string') return undefined
  if (typeof contents.startedAt !== 'number' || now - contents.startedAt > lifetimeMs) return undefined
  return { attempt: createAttempt(state, secret, redirectUri), query: contents.query }
}

function createAttempt(state: string, secret: string, redirectUri: string): SignInAttempt {
  return {
    state,
    redirectUri,
    nonce: sign(secret, 'nonce', state),
    codeVerifier: sign(secret, 'verifier', state),
  }
}

const sign = (secret: string, purpose: string, text: string) =>
  createHmac('sha256', secret).update(`${purpose} ${text}`).digest('base64url')
