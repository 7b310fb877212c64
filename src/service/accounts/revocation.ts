import type { Kysely } from 'kysely'
import { appendUserAudit } from '../admin/audit-log.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { hashToken } from './tokens.js'

/** The number of sign-ins that were revoked. */
export interface RevokedAccess {
  /** Legacy keys and tokens of administrators. */
  tokens: number
  /** Consents to applications, with all their tokens. */
  grants: number
  /** Browser sessions. */
  sessions: number
}

/**
 * Revokes all tokens, consents and browser sessions of a user for good. The caller has changed or locked the row of the
 * user in the same transaction, so that a sign-in that is in progress issues nothing afterwards (`lockUser`).
 */
export async function revokeAccess(db: Kysely<Schema>, userId: number, now: number): Promise<RevokedAccess> {
  // Grants come first: a refresh in progress has locked its grant, and its tokens are visible afterwards.
  const grants = await db
    .updateTable('grants')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  const revoked = await db
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .returning('kind')
    .execute()
  const sessions = await db.deleteFrom('sessions').where('user_id', '=', userId).executeTakeFirst()
  return {
    tokens: revoked.filter(({ kind }) => kind !== 'oauth').length,
    grants: Number(grants.numUpdatedRows),
    sessions: Number(sessions.numDeletedRows),
  }
}

/**
 * Returns the password hash of an active user, and locks the user until the end of the transaction, so that `revokeAccess`
 * waits for what the transaction issues. Returns undefined for an inactive user.
 */
export async function lockUser(
  db: Kysely<Schema>,
  { dialect }: Pick<Storage, 'dialect'>,
  userId: number,
): Promise<{ password: string | null } | undefined> {
  return db
    .selectFrom('users')
    .select('password')
    .where('id', '=', userId)
    .where('active', '=', 1)
    .$if(dialect === 'postgres', (query) => query.forShare())
    .executeTakeFirst()
}

/** Revokes a legacy key. Returns false if the token is not a legacy key; true again for a key that is revoked. */
export async function revokeKey(
  { storage, address, now }: Pick<OAuthRequestContext, 'storage' | 'address' | 'now'>,
  token: string,
): Promise<boolean> {
  const key = await storage.db
    .selectFrom('tokens')
    .select(['id', 'user_id', 'name'])
    .where('hash', '=', hashToken(token))
    .where('kind', '=', 'key')
    .executeTakeFirst()
  if (!key) return false
  return storage.db.transaction().execute(async (db) => {
    const { numUpdatedRows } = await db
      .updateTable('tokens')
      .set({ revoked_at: now })
      .where('id', '=', key.id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows > 0n)
      await appendUserAudit(db, key.user_id, { at: now, event: 'key_revoked', address, details: key.name })
    return true
  })
}
