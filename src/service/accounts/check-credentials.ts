import { appendAudit } from '../admin/audit-log.js'
import { normalizeEmail } from '../admin/users.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import { isStorable } from '../resources/values.js'
import { sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { verifyPassword } from './password-hash.js'
import { waitForTurn } from './password-turns.js'
import { blockedSeconds, recordFailure, recordSuccess } from './sign-in-limits.js'

/** `passwordHash` is the one that the password matches: what is issued for it requires that it has not changed since. */
export type CredentialCheck =
  | { userId: number; passwordHash: string }
  | 'wrong'
  | { retryAfterSeconds: number }

/**
 * Returns the user with this email address and password. During a block, the correct password is refused too. Throws
 * HttpError 503 while too many sign-ins wait.
 */
export async function checkCredentials(
  context: OAuthRequestContext,
  email: string,
  password: string,
): Promise<CredentialCheck> {
  const result = await check(context, email, password)
  context.onSignIn?.(result === 'wrong' ? 'wrong' : 'userId' in result ? 'success' : 'blocked')
  return result
}

async function check(
  { storage, address, now, passwordCost }: OAuthRequestContext,
  email: string,
  password: string,
): Promise<CredentialCheck> {
  const attempt = { email: normalizeEmail(email), address }
  const release = await waitForTurn()
  let user: UserRow | undefined
  let isCorrect: boolean
  try {
    // Checked when it is their turn, so that the rest of many parallel attempts costs no hashes.
    const retryAfterSeconds = await blockedSeconds(storage, attempt, now)
    if (retryAfterSeconds > 0) return { retryAfterSeconds }
    user = await findUser(storage, attempt.email)
    isCorrect = await verifyPassword(password, user?.active ? user.password : null, passwordCost)
  } finally {
    release()
  }
  const passwordHash = isCorrect ? user?.password : undefined
  const record = passwordHash ? recordSuccess : recordFailure
  const retryAfterSeconds = await record(storage, attempt, now)
  if (retryAfterSeconds > 0) return { retryAfterSeconds }
  // The text may be a password that was typed into the wrong field: only the addresses of accounts are recorded.
  const actor = user ? attempt.email : null
  await appendAudit(storage.queries, {
    at: now,
    event: passwordHash ? 'sign_in' : 'sign_in_failed',
    actor,
    address,
  })
  return user && passwordHash ? { userId: user.id, passwordHash } : 'wrong'
}

interface UserRow {
  id: number
  password: string | null
  active: number
}

async function findUser({ queries }: Storage, email: string): Promise<UserRow | undefined> {
  if (!isStorable(email)) return undefined
  const [user] = await queries.all<UserRow>(
    sql`select id, password, active from users where email = ${email}`,
  )
  return user
}
