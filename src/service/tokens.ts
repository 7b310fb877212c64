import { createHash, randomBytes } from 'node:crypto'
import { scopes } from '../api/types.js'
import type { Authenticate } from './app.js'
import type { Storage } from './storage.js'

/** Finds whose a bearer token is by its hash; revoked and expired ones, and those of inactive users, are nobody's. */
export function authenticateByToken({ db }: Storage, clock: () => Date): Authenticate {
  return async (token) => {
    if (token === '') return undefined
    const now = clock().getTime()
    const found = await db
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.user_id')
      .select(['tokens.user_id', 'tokens.scopes', 'tokens.expires_at'])
      .where('tokens.hash', '=', hashOf(token))
      .where('tokens.revoked_at', 'is', null)
      .where('users.active', '=', 1)
      .executeTakeFirst()
    if (!found || (found.expires_at !== null && found.expires_at <= now)) return undefined
    const granted = found.scopes.split(' ')
    return { userId: found.user_id, scopes: new Set(scopes.filter((scope) => granted.includes(scope))) }
  }
}

/** A new token: 32 random bytes, with a prefix by which a leaked one is recognised. */
export function newToken(): string {
  return `tt_${randomBytes(32).toString('base64url')}`
}

/** What is stored of a token. It has too many random bits to be guessed from that. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
