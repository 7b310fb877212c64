import { dayMs } from '../../../lib/time-units.js'
import type { Storage } from '../../storage/storage.js'

/**
 * Deletes what has no effect any more: sessions and counts that are over, codes a day after (until then a replay is
 * told apart from an unknown code), refresh tokens with the access tokens that came with them, and empty grants.
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
