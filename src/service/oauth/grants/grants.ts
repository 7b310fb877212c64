import { dayMs } from '../../../lib/time-units.js'
import { generateToken, hashToken } from '../../accounts/tokens.js'
import { appendAudit } from '../../admin/audit-log.js'
import type { Queries } from '../../storage/queries.js'
import { insertInto, sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'

/** The tokens that the token endpoint issues. */
export interface IssuedTokens {
  accessToken: string
  refreshToken: string
  scopes: string
  user: { id: number; name: string; email: string }
}

/** Lifetime of access tokens: two hours (service-api-v1.md section 5). */
export const accessTokenSeconds = 2 * 60 * 60
const refreshTokenMs = 90 * dayMs

/**
 * Revokes the token family of an access token or a refresh token (RFC 7009). Returns true for an unknown token, too, and
 * false for a token of another application.
 */
export async function revokeToken(
  storage: Storage,
  request: { token: string; applicationId: number; address: string; now: number },
): Promise<boolean> {
  const hash = hashToken(request.token)
  const [stored] = await storage.queries.all<{ grant_id: number }>(sql`
    select grant_id from refresh_tokens where hash = ${hash}
      or id = (select refresh_token_id from tokens where hash = ${hash})`)
  const isRevoked = await withGrant(storage, stored?.grant_id, async (queries, grant) => {
    if (grant.application_id !== request.applicationId) return false
    if (grant.revoked_at !== null) return true
    await revokeGrant(queries, grant.id, request.now)
    await appendAudit(queries, {
      ...{ at: request.now, event: 'application_revoked', actor: grant.email, address: request.address },
    })
    return true
  })
  return isRevoked ?? true
}

/** The consent of a user to an application, with the user. */
export interface Grant {
  id: number
  application_id: number
  user_id: number
  scopes: string
  revoked_at: number | null
  active: number
  name: string
  email: string
}

export const isActive = ({ revoked_at, active }: Grant) => revoked_at === null && active === 1

/** Runs `work` in a transaction that locks the grant; returns undefined when the grant does not exist. */
export async function withGrant<Result>(
  { queries }: Storage,
  id: number | undefined,
  work: (queries: Queries, grant: Grant) => Promise<Result>,
): Promise<Result | undefined> {
  if (id === undefined) return undefined
  const lock = queries.dialect === 'postgres' ? sql`for update of grants` : sql``
  return queries.transaction(async (transaction) => {
    const [grant] = await transaction.all<Grant>(sql`
      select grants.*, users.active, users.name, users.email
      from grants inner join users on users.id = grants.user_id where grants.id = ${id} ${lock}`)
    return grant && work(transaction, grant)
  })
}

/** Issues an access token and a refresh token; `parent` is the refresh token that they replace. */
export async function issueTokens(
  queries: Queries,
  grant: Grant,
  { parent, scopes, now }: { parent: number | null; scopes: string; now: number },
): Promise<IssuedTokens> {
  const [accessToken, refreshToken] = [generateToken(now), generateToken(now, 'ttr')]
  const refresh = insertInto('refresh_tokens', {
    grant_id: grant.id,
    hash: hashToken(refreshToken),
    parent_id: parent,
    created_at: now,
    expires_at: now + refreshTokenMs,
  })
  const [row] = await queries.all<{ id: number }>(sql`${refresh} returning id`)
  await queries.all(
    insertInto('tokens', {
      user_id: grant.user_id,
      hash: hashToken(accessToken),
      kind: 'oauth',
      scopes,
      name: 'OAuth',
      created_at: now,
      expires_at: now + accessTokenSeconds * 1000,
      refresh_token_id: row?.id,
    }),
  )
  const { user_id: userId, name, email } = grant
  return { accessToken, refreshToken, scopes, user: { id: userId, name, email } }
}

/** Revokes a grant with all its tokens. The time of an earlier revocation stays. */
export async function revokeGrant(queries: Queries, id: number, now: number): Promise<void> {
  await queries.all(sql`update grants set revoked_at = ${now} where id = ${id} and revoked_at is null`)
  await queries.all(sql`
    update tokens set revoked_at = ${now} where revoked_at is null
      and refresh_token_id in (select id from refresh_tokens where grant_id = ${id})`)
}
