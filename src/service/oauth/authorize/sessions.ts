import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OAuthRequestContext } from '../request-context.js'

/** A browser, recognised by the secret in its cookie; nobody may have signed in there yet. */
export interface BrowserSession {
  secret: string
  user: { id: number; email: string; name: string } | undefined
}

const lifetimeMs = 12 * 60 * 60_000

/** The browser that asks; one without a cookie gets a new secret. */
export async function findBrowserSession({
  request,
  storage,
  issuer,
  now,
}: OAuthRequestContext): Promise<BrowserSession> {
  const secret = cookieIn(request.headers.get('Cookie') ?? '', cookieName(issuer))
  if (secret === undefined) return { secret: newSecret(), user: undefined }
  const user = await storage.db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.email', 'users.name'])
    .where('sessions.hash', '=', digest('session', secret))
    .where('sessions.expires_at', '>', now)
    .where('users.active', '=', 1)
    .executeTakeFirst()
  return { secret, user }
}

/** Signs a user in for 12 hours, under a new secret: one that was planted before is worth nothing. Answers the cookie. */
export async function signIn(
  call: OAuthRequestContext,
  before: BrowserSession,
  userId: number,
): Promise<string> {
  const secret = newSecret()
  await forget(call, before)
  await call.storage.db
    .insertInto('sessions')
    .values({ hash: digest('session', secret), user_id: userId, expires_at: call.now + lifetimeMs })
    .execute()
  return sessionCookie(call, { secret })
}

/** Signs the browser out. Answers the cookie of the one that it is now. */
export async function signOut(call: OAuthRequestContext, before: BrowserSession): Promise<string> {
  await forget(call, before)
  return sessionCookie(call, { secret: newSecret() })
}

/** The Set-Cookie header by which the browser is recognised (RFC 6265; the prefix is RFC 6265bis section 4.1.3.2). */
export function sessionCookie(
  { issuer }: OAuthRequestContext,
  { secret }: Pick<BrowserSession, 'secret'>,
): string {
  // Cookies do not keep ports apart: on a loopback address the narrow path keeps it from other programs.
  const place = isSecure(issuer) ? 'Path=/; Secure' : 'Path=/oauth/authorize'
  return `${cookieName(issuer)}=${secret}; ${place}; HttpOnly; SameSite=Lax`
}

/** What each form carries, so that no other site can send it: it follows from the cookie, which no other site knows. */
export function createFormToken({ secret }: BrowserSession): string {
  return digest('form', secret)
}

export function isValidFormToken(given: string | undefined, browser: BrowserSession): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(createFormToken(browser))]
  return left.length === right.length && timingSafeEqual(left, right)
}

async function forget({ storage }: OAuthRequestContext, { secret }: BrowserSession): Promise<void> {
  await storage.db.deleteFrom('sessions').where('hash', '=', digest('session', secret)).execute()
}

function cookieIn(header: string, name: string): string | undefined {
  const [, value] =
    header
      .split(';')
      .map((pair) => pair.trim().split('='))
      .find(([key]) => key === name) ?? []
  return /^[\w-]{43}$/.test(value ?? '') ? value : undefined
}

const isSecure = (issuer: string) => issuer.startsWith('https:')
const cookieName = (issuer: string) => (isSecure(issuer) ? '__Host-tt' : 'tt')
const newSecret = () => randomBytes(32).toString('base64url')
const digest = (purpose: string, secret: string) =>
  createHash('sha256').update(`${purpose} ${secret}`).digest('hex')
