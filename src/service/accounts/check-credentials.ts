import { addressOf } from '../admin/users.js'
import type { OAuthRequestContext } from '../oauth/request-context.js'
import { isStorable } from '../resources/values.js'
import { countAttempt, removeAttempt } from './attempts.js'
import { verifyPassword } from './passwords.js'

export type Verdict = { userId: number } | 'wrong' | { retryAfterSeconds: number }

/** Whose address and password it is. During a block not even the right password gets in. */
export async function checkCredentials(
  { storage, address, now }: OAuthRequestContext,
  email: string,
  password: string,
): Promise<Verdict> {
  const attempt = { email: addressOf(email), address }
  const retryAfterSeconds = await countAttempt(storage, attempt, now)
  if (retryAfterSeconds > 0) return { retryAfterSeconds }
  const user = isStorable(attempt.email)
    ? await storage.db
        .selectFrom('users')
        .select(['id', 'password'])
        .where('email', '=', attempt.email)
        .where('active', '=', 1)
        .executeTakeFirst()
    : undefined
  const right = await verifyPassword(password, user?.password ?? null)
  if (!user || !right) return 'wrong'
  await removeAttempt(storage, attempt, now)
  return { userId: user.id }
}
