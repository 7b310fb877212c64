import { dayMs } from '../../../lib/time-units.js'
import type { Storage } from '../../storage/storage.js'

/**
 * Deletes expired sessions, counts of sign-in attempts, refresh tokens with their access tokens, and grants without
 * tokens. Codes stay for a day after their expiry, because a replayed code, unlike an unknown one, revokes its tokens.
 */
export async function deleteExpired({ db }: Storage, now: number): Promise<void> {
  await db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
  await db.deleteFrom('sign_in_attempts').where('forget_at', '<=', now).execute()
  await db
    .deleteFrom('authorization_codes')
    .where('expires_at', '<=', now - dayMs)
    .execute()
  await db.deleteFrom('refresh_tokens').where('expires_at', '<=', now).execute()
  await db
    .deleteFrom('grants')
    .where('created_at', '<=', now - dayMs)
    .where('id', 'not in', (grants) => grants.selectFrom('authorization_codes').select('grant_id'))
    .where('id', 'not in', (grants) => grants.selectFrom('refresh_tokens').select('grant_id'))
    .execute()
}
