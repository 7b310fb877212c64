import { createHash, randomBytes } from 'node:crypto'
import { scopes } from '../../api-client/types.js'
import type { Authenticate } from '../http/app.js'
import type { Storage } from '../storage/storage.js'

/**
 * Returns the function that finds the user of a bearer token by its hash; undefined for revoked and expired tokens and
 * for inactive users.
 *
 * It records the first use of a token that an application obtained: from then on, the refresh token before it counts as
 * used (see `refreshTokens`).
 */
export function authenticateByToken({ db }: Storage, clock: () => Date): Authenticate {
  const find = (token: string) =>
    db
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.user_id')
      .select(['tokens.id', 'tokens.user_id', 'tokens.scopes', 'tokens.expires_at'])
      .select(['tokens.refresh_token_id', 'tokens.used_at'])
      .where('tokens.hash', '=', hashToken(token))
      .where('tokens.revoked_at', 'is', null)
      .where('users.active', '=', 1)
      .executeTakeFirst()

  /** Returns false when the token has been revoked in the meantime. */
  async function recordUse(id: number, now: number): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable('tokens')
      .set({ used_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  return async (token) => {
    if (token === '') return undefined
    const now = clock().getTime()
    const found = await find(token)
    if (!found || (found.expires_at !== null && found.expires_at <= now)) return undefined
    const isUnused = found.refresh_token_id !== null && found.used_at === null
    if (isUnused && !(await recordUse(found.id, now))) return undefined
    const granted = found.scopes.split(' ')
    return { userId: found.user_id, scopes: new Set(scopes.filter((scope) => granted.includes(scope))) }
  }
}

/** Returns a new token or secret: 32 random bytes, with a prefix that identifies leaked ones. */
export function generateToken(prefix = 'tt'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** Returns the SHA-256 of a token, to store. A token has too many random bits to be guessed from a fast hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
