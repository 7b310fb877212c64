import type { Kysely } from 'kysely'
import { dayMs } from '../../../lib/time-units.js'
import { generateToken, hashToken } from '../../accounts/tokens.js'
import { appendAudit } from '../../admin/audit-log.js'
import type { Schema } from '../../storage/schema.js'
import type { Storage } from '../../storage/storage.js'

export type Db = Kysely<Schema>

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
  const refreshTokens = storage.db.selectFrom('refresh_tokens').select('grant_id')
  const stored =
    (await refreshTokens.where('hash', '=', hash).executeTakeFirst()) ??
    (await refreshTokens
      .innerJoin('tokens', 'tokens.refresh_token_id', 'refresh_tokens.id')
      .where('tokens.hash', '=', hash)
      .executeTakeFirst())
  const isRevoked = await withGrant(storage, stored?.grant_id, async (db, grant) => {
    if (grant.application_id !== request.applicationId) return false
    if (grant.revoked_at !== null) return true
    await revokeGrant(db, grant.id, request.now)
    await appendAudit(db, {
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
  { db, dialect }: Storage,
  id: number | undefined,
  work: (db: Db, grant: Grant) => Promise<Result>,
): Promise<Result | undefined> {
  if (id === undefined) return undefined
  return db.transaction().execute(async (transaction) => {
    const grant = await transaction
      .selectFrom('grants')
      .innerJoin('users', 'users.id', 'grants.user_id')
      .selectAll('grants')
      .select(['users.active', 'users.name', 'users.email'])
      .where('grants.id', '=', id)
      .$if(dialect === 'postgres', (query) => query.forUpdate('grants'))
      .executeTakeFirst()
    return grant && work(transaction, grant)
  })
}

/** Issues an access token and a refresh token; `parent` is the refresh token that they replace. */
export async function issueTokens(
  db: Db,
  grant: Grant,
  { parent, scopes, now }: { parent: number | null; scopes: string; now: number },
): Promise<IssuedTokens> {
  const [accessToken, refreshToken] = [generateToken(now), generateToken(now, 'ttr')]
  const { id } = await db
    .insertInto('refresh_tokens')
    .values({
      grant_id: grant.id,
      hash: hashToken(refreshToken),
      parent_id: parent,
      created_at: now,
      expires_at: now + refreshTokenMs,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('tokens')
    .values({
      user_id: grant.user_id,
      hash: hashToken(accessToken),
      kind: 'oauth',
      scopes,
      name: 'OAuth',
      created_at: now,
      expires_at: now + accessTokenSeconds * 1000,
      refresh_token_id: id,
    })
    .execute()
  const { user_id: userId, name, email } = grant
  return { accessToken, refreshToken, scopes, user: { id: userId, name, email } }
}

/** Revokes a grant with all its tokens. The time of an earlier revocation stays. */
export async function revokeGrant(db: Db, id: number, now: number): Promise<void> {
  await db
    .updateTable('grants')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
  await db
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('revoked_at', 'is', null)
    .where('refresh_token_id', 'in', (tokens) =>
      tokens.selectFrom('refresh_tokens').select('id').where('grant_id', '=', id),
    )
    .execute()
}
