import { hashToken } from '../../accounts/tokens.js'
import type { Storage } from '../../storage/storage.js'
import { type Db, type IssuedTokens, isActive, issueTokens, revokeGrant, withGrant } from './grants.js'

/**
 * New tokens for a refresh token, which is spent by that (RFC 6749 section 6, RFC 9700 section 4.14.2).
 *
 * The answer may be lost on its way. So a spent token is taken once more as long as nobody has used what was handed
 * out for it, which is taken back then; after that it is reuse, and revokes the whole family.
 */
export async function refreshTokens(
  storage: Storage,
  asked: { token: string; applicationId: number; scopes: readonly string[] | undefined; now: number },
): Promise<IssuedTokens | 'invalid_grant' | 'invalid_scope'> {
  const hash = hashToken(asked.token)
  const found = await storage.db
    .selectFrom('refresh_tokens')
    .select('grant_id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  const outcome = await withGrant(storage, found?.grant_id, async (db, grant) => {
    const token = await db
      .selectFrom('refresh_tokens')
      .selectAll()
      .where('hash', '=', hash)
      .executeTakeFirst()
    if (!token || grant.application_id !== asked.applicationId) return 'invalid_grant'
    if (!isActive(grant) || token.expires_at <= asked.now) return 'invalid_grant'
    const granted = grant.scopes.split(' ')
    const scopes =
      asked.scopes === undefined ? granted : granted.filter((scope) => asked.scopes?.includes(scope))
    if (asked.scopes?.some((scope) => !granted.includes(scope))) return 'invalid_scope'
    const parent = token.replaced_at === null ? token.id : await takenBack(db, token, asked.now)
    if (parent === undefined) {
      await revokeGrant(db, grant.id, asked.now)
      return 'invalid_grant'
    }
    await replace(db, token.id, asked.now)
    return issueTokens(db, grant, { parent, scopes: scopes.join(' '), now: asked.now })
  })
  return outcome ?? 'invalid_grant'
}

/**
 * Takes back the newest tokens of the family in favour of `spent`, which they or their like were handed out for.
 * Answers the token that they took the place of; undefined when they were used, or come of another one.
 */
async function takenBack(
  db: Db,
  spent: { id: number; grant_id: number; parent_id: number | null },
  now: number,
): Promise<number | undefined> {
  const newest = await db
    .selectFrom('refresh_tokens')
    .select(['id', 'parent_id'])
    .where('grant_id', '=', spent.grant_id)
    .where('replaced_at', 'is', null)
    .executeTakeFirst()
  if (!newest || newest.parent_id === null) return undefined
  // Two refreshes at once hand out tokens for the same one; whose answer arrives must not depend on their order.
  if (newest.parent_id !== spent.id && newest.parent_id !== spent.parent_id) return undefined
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('refresh_token_id', '=', newest.id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  await replace(db, newest.id, now)
  return newest.parent_id
}

async function replace(db: Db, id: number, now: number): Promise<void> {
  await db
    .updateTable('refresh_tokens')
    .set({ replaced_at: now })
    .where('id', '=', id)
    .where('replaced_at', 'is', null)
    .execute()
}
