import { createHash, randomBytes } from 'node:crypto'
import { isSameSecret } from '../../../lib/is-same-secret.js'
import { lockUser } from '../../accounts/tokens.js'
import { appendAudit } from '../../admin/audit-log.js'
import type { Queries } from '../../storage/queries.js'
import { insertInto, sql } from '../../storage/sql.js'
import type { OAuthRequestContext } from '../oauth-request-context.js'

/** A browser session, identified by the secret in its cookie. `user` is undefined before the sign-in. */
export interface BrowserSession {
  secret: string
  user: { id: number; email: string; name: string } | undefined
}

const sessionLifetimeMs = 12 * 60 * 60_000
const maxBrowserLength = 255

/** Returns the session of the browser; without a cookie, a new one. */
export async function findBrowserSession({
  request,
  storage,
  issuer,
  now,
}: OAuthRequestContext): Promise<BrowserSession> {
  const secret = readCookie(request.headers.get('Cookie') ?? '', cookieName(issuer))
  if (secret === undefined) return { secret: generateSecret(), user: undefined }
  const [user] = await storage.queries.all<NonNullable<BrowserSession['user']>>(sql`
    select users.id, users.email, users.name from sessions inner join users on users.id = sessions.user_id
    where sessions.hash = ${digest('session', secret)} and sessions.expires_at > ${now} and users.active = 1`)
  return { secret, user }
}

/**
 * Signs a user in for 12 hours, with a new secret against session fixation. Returns the Set-Cookie header; undefined if the
 * password that was checked was reset, or the user deactivated since the check.
 */
export async function signIn(
  context: OAuthRequestContext,
  session: BrowserSession,
  { userId, passwordHash }: { userId: number; passwordHash?: string },
): Promise<string | undefined> {
  const secret = generateSecret()
  const { storage, request, address, now } = context
  await deleteSession(context, session)
  return storage.queries.transaction(async (queries) => {
    const user = await lockUser(queries, userId)
    if (!user || (passwordHash !== undefined && user.password !== passwordHash)) return undefined
    await queries.all(
      insertInto('sessions', {
        hash: digest('session', secret),
        user_id: userId,
        created_at: now,
        expires_at: now + sessionLifetimeMs,
        address,
        browser: request.headers.get('User-Agent')?.slice(0, maxBrowserLength) ?? null,
      }),
    )
    return sessionCookie(context, { secret })
  })
}

/** Whether the session has not been ended. */
export async function isSessionOpen(
  queries: Queries,
  { secret }: BrowserSession,
  now: number,
): Promise<boolean> {
  const rows = await queries.all(
    sql`select user_id from sessions where hash = ${digest('session', secret)} and expires_at > ${now}`,
  )
  return rows.length > 0
}

/** Signs the user out. Returns the Set-Cookie header of a new session. */
export async function signOut(context: OAuthRequestContext, session: BrowserSession): Promise<string> {
  const { storage, address, now } = context
  await deleteSession(context, session)
  if (session.user)
    await appendAudit(storage.queries, { at: now, event: 'sign_out', actor: session.user.email, address })
  return sessionCookie(context, { secret: generateSecret() })
}

/** Returns the Set-Cookie header of a session (RFC 6265; its name prefix: RFC 6265bis section 4.1.3.2). */
export function sessionCookie(
  { issuer }: OAuthRequestContext,
  { secret }: Pick<BrowserSession, 'secret'>,
): string {
  // Cookies ignore the port: on a loopback address, the narrow path hides the cookie from other programs.
  const attributes = isSecure(issuer) ? 'Path=/; Secure' : 'Path=/oauth/authorize'
  return `${cookieName(issuer)}=${secret}; ${attributes}; HttpOnly; SameSite=Lax`
}

/** Returns the CSRF token of the forms. It is derived from the cookie, which no other site knows. */
export function createFormToken({ secret }: BrowserSession): string {
  return digest('form', secret)
}

export function isValidFormToken(token: string | undefined, session: BrowserSession): boolean {
  return isSameSecret(token ?? '', createFormToken(session))
}

async function deleteSession({ storage }: OAuthRequestContext, { secret }: BrowserSession): Promise<void> {
  await storage.queries.all(sql`delete from sessions where hash = ${digest('session', secret)}`)
}

function readCookie(header: string, name: string): string | undefined {
  const [, value] =
    header
      .split(';')
      .map((pair) => pair.trim().split('='))
      .find(([key]) => key === name) ?? []
  return /^[\w-]{43}$/.test(value ?? '') ? value : undefined
}

const isSecure = (issuer: string) => issuer.startsWith('https:')
const cookieName = (issuer: string) => (isSecure(issuer) ? '__Host-tt' : 'tt')
const generateSecret = () => randomBytes(32).toString('base64url')
const digest = (purpose: string, secret: string) =>
  createHash('sha256').update(`${purpose} ${secret}`).digest('hex')
