import { normalizeEmail } from '../admin/users.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import { isStorable } from '../resources/values.js'
import { verifyPassword } from './password-hash.js'
import { clearAttempt, recordAttempt } from './sign-in-limits.js'

/** `passwordHash` is the one that the password matches: what is issued for it requires that it has not changed since. */
export type CredentialCheck =
  | { userId: number; passwordHash: string }
  | 'wrong'
  | { retryAfterSeconds: number }

/** Returns the user with this email address and password. During a block, the correct password is refused too. */
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
  const retryAfterSeconds = await recordAttempt(storage, attempt, now)
  if (retryAfterSeconds > 0) return { retryAfterSeconds }
  const user = isStorable(attempt.email)
    ? await storage.db
        .selectFrom('users')
        .select(['id', 'password'])
        .where('email', '=', attempt.email)
        .where('active', '=', 1)
        .executeTakeFirst()
    : undefined
  const isCorrect = await verifyPassword(password, user?.password ?? null, passwordCost)
  if (!user?.password || !isCorrect) return 'wrong'
  await clearAttempt(storage, attempt, now)
  return { userId: user.id, passwordHash: user.password }
}
