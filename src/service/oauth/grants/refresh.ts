import { hashToken } from '../../accounts/tokens.js'
import { appendAudit } from '../../admin/audit-log.js'
import type { Queries } from '../../storage/queries.js'
import { sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { type IssuedTokens, isActive, issueTokens, revokeGrant, withGrant } from './grants.js'

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
  const select = sql`select * from refresh_tokens where hash = ${hash}`
  const [stored] = await storage.queries.all<RefreshTokenRow>(select)
  const outcome = await withGrant(storage, stored?.grant_id, async (queries, grant) => {
    const [token] = await queries.all<RefreshTokenRow>(select)
    if (!token || grant.application_id !== request.applicationId) return 'invalid_grant'
    if (!isActive(grant) || token.expires_at <= request.now) return 'invalid_grant'
    const granted = grant.scopes.split(' ')
    const scopes =
      request.scopes === undefined ? granted : granted.filter((scope) => request.scopes?.includes(scope))
    if (request.scopes?.some((scope) => !granted.includes(scope))) return 'invalid_scope'
    const parent =
      token.replaced_at === null ? token.id : await revokeUnusedReplacement(queries, token, request.now)
    if (parent === undefined) {
      await revokeGrant(queries, grant.id, request.now)
      await appendAudit(queries, {
        ...{ at: request.now, event: 'refresh_token_reused', actor: grant.email, address: request.address },
      })
      return 'invalid_grant'
    }
    await markReplaced(queries, token.id, request.now)
    return issueTokens(queries, grant, { parent, scopes: scopes.join(' '), now: request.now })
  })
  return outcome ?? 'invalid_grant'
}

interface RefreshTokenRow {
  id: number
  grant_id: number
  /** The refresh token that it replaced; null for the first of a family. */
  parent_id: number | null
  expires_at: number
  replaced_at: number | null
}

/**
 * Revokes the newest tokens of the family if they are unused and replaced `used` or its parent. Returns the ID of the
 * refresh token that they replaced; undefined when they have been used or replaced another token.
 */
async function revokeUnusedReplacement(
  queries: Queries,
  used: RefreshTokenRow,
  now: number,
): Promise<number | undefined> {
  const [newest] = await queries.all<RefreshTokenRow>(
    sql`select * from refresh_tokens where grant_id = ${used.grant_id} and replaced_at is null`,
  )
  if (!newest || newest.parent_id === null) return undefined
  // Two parallel refreshes both replace the same token; either response may be the one that arrives.
  if (newest.parent_id !== used.id && newest.parent_id !== used.parent_id) return undefined
  const revoked = await queries.all(sql`
    update tokens set revoked_at = ${now}
    where refresh_token_id = ${newest.id} and used_at is null returning id`)
  if (revoked.length === 0) return undefined
  await markReplaced(queries, newest.id, now)
  return newest.parent_id
}

async function markReplaced(queries: Queries, id: number, now: number): Promise<void> {
  await queries.all(
    sql`update refresh_tokens set replaced_at = ${now} where id = ${id} and replaced_at is null`,
  )
}
