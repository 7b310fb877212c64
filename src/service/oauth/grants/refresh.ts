import { hashToken } from '../../accounts/tokens.js'
import { appendAudit } from '../../admin/audit-log.js'
import type { Storage } from '../../storage/storage.js'
import { type Db, type IssuedTokens, isActive, issueTokens, revokeGrant, withGrant } from './grants.js'

/**
 * Issues new tokens for a refresh token, which is used up by that (RFC 6749 section 6, RFC 9700 section 4.14.2).
 *
 * Because the response may be lost, a used token is accepted again as long as its replacement is unused; the
 * replacement is then revoked. Otherwise its reuse revokes the whole token family.
 */
export async function refreshTokens(
  storage: Storage,
  request: {
    token: string
    applicationId: number
    scopes: readonly string[] | undefined
    address: string
    now: number
  },
): Promise<IssuedTokens | 'invalid_grant' | 'invalid_scope'> {
  const hash = hashToken(request.token)
  const stored = await storage.db
    .selectFrom('refresh_tokens')
    .select('grant_id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  const outcome = await withGrant(storage, stored?.grant_id, async (db, grant) => {
    const token = await db
      .selectFrom('refresh_tokens')
      .selectAll()
      .where('hash', '=', hash)
      .executeTakeFirst()
    if (!token || grant.application_id !== request.applicationId) return 'invalid_grant'
    if (!isActive(grant) || token.expires_at <= request.now) return 'invalid_grant'
    const granted = grant.scopes.split(' ')
    const scopes =
      request.scopes === undefined ? granted : granted.filter((scope) => request.scopes?.includes(scope))
    if (request.scopes?.some((scope) => !granted.includes(scope))) return 'invalid_scope'
    const parent =
      token.replaced_at === null ? token.id : await revokeUnusedReplacement(db, token, request.now)
    if (parent === undefined) {
      await revokeGrant(db, grant.id, request.now)
      await appendAudit(db, {
        ...{ at: request.now, event: 'refresh_token_reused', actor: grant.email, address: request.address },
      })
      return 'invalid_grant'
    }
    await markReplaced(db, token.id, request.now)
    return issueTokens(db, grant, { parent, scopes: scopes.join(' '), now: request.now })
  })
  return outcome ?? 'invalid_grant'
}

/**
 * Revokes the newest tokens of the family if they are unused and replaced `used` or its parent. Returns the ID of the
 * refresh token that they replaced; undefined when they have been used or replaced another token.
 */
async function revokeUnusedReplacement(
  db: Db,
  used: { id: number; grant_id: number; parent_id: number | null },
  now: number,
): Promise<number | undefined> {
  const newest = await db
    .selectFrom('refresh_tokens')
    .select(['id', 'parent_id'])
    .where('grant_id', '=', used.grant_id)
    .where('replaced_at', 'is', null)
    .executeTakeFirst()
  if (!newest || newest.parent_id === null) return undefined
  // Two parallel refreshes both replace the same token; either response may be the one that arrives.
  if (newest.parent_id !== used.id && newest.parent_id !== used.parent_id) return undefined
  const { numUpdatedRows } = await db
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('refresh_token_id', '=', newest.id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  await markReplaced(db, newest.id, now)
  return newest.parent_id
}

async function markReplaced(db: Db, id: number, now: number): Promise<void> {
  await db
    .updateTable('refresh_tokens')
    .set({ replaced_at: now })
    .where('id', '=', id)
    .where('replaced_at', 'is', null)
    .execute()
}
