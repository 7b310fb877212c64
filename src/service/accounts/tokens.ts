import { createHash, randomBytes } from 'node:crypto'
import { scopes } from '../../api-client/types.js'
import { dayMs } from '../../lib/time-units.js'
import type { Authenticate } from '../http/app.js'
import type { TokenKind } from '../storage/schema.js'
import { sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'

/**
 * Returns the function that finds the user of a bearer token by its hash; undefined for revoked and expired tokens and
 * for inactive users.
 *
 * It records the use of a token, at most once an hour. From the first use of a token that an application obtained, the
 * refresh token before it counts as used (see `refreshTokens`).
 */
export function authenticateByToken({ queries }: Pick<Storage, 'queries'>, clock: () => Date): Authenticate {
  /** Returns false when the token has been revoked in the meantime. */
  async function recordUse(id: number, now: number): Promise<boolean> {
    const rows = await queries.all(sql`
      update tokens set used_at = ${now} where id = ${id} and revoked_at is null returning id`)
    return rows.length > 0
  }

  return async (token) => {
    if (token === '') return undefined
    const now = clock().getTime()
    const [found] = await queries.all<TokenRow>(sql`
      select tokens.id, tokens.user_id, tokens.kind, tokens.scopes, tokens.created_at, tokens.expires_at,
        tokens.used_at, company.legacy_keys, company.legacy_key_days, company.time_zone
      from tokens inner join users on users.id = tokens.user_id left join company on 1 = 1
      where tokens.hash = ${hashToken(token)} and tokens.revoked_at is null and users.active = 1`)
    if (!found || (expiryOf(found, found) ?? now + 1) <= now) return undefined
    const isUseRecorded = found.used_at !== null && found.used_at > now - useIntervalMs
    if (!isUseRecorded && !(await recordUse(found.id, now))) return undefined
    const granted = found.scopes.split(' ')
    return {
      userId: found.user_id,
      scopes: new Set(scopes.filter((scope) => granted.includes(scope))),
      timeZone: found.time_zone ?? undefined,
    }
  }
}

/** A valid token, with the settings of the company. */
interface TokenRow {
  id: number
  user_id: number
  kind: TokenKind
  scopes: string
  created_at: number
  expires_at: number | null
  used_at: number | null
  legacy_keys: number | null
  legacy_key_days: number | null
  time_zone: string | null
}

const useIntervalMs = 60 * 60_000

/**
 * Returns when a token expires, in epoch milliseconds; null if it does not. The company limits the age of legacy keys; 0
 * if it does not accept them.
 */
export function expiryOf(
  token: { kind: TokenKind; created_at: number; expires_at: number | null },
  company: { legacy_keys: number | null; legacy_key_days: number | null },
): number | null {
  if (token.kind !== 'key') return token.expires_at
  if (company.legacy_keys === 0) return 0
  return company.legacy_key_days === null ? null : token.created_at + company.legacy_key_days * dayMs
}

/** Returns a new token or secret: 32 random bytes, with a prefix that identifies leaked ones. */
export function generateToken(prefix = 'tt'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** Returns the SHA-256 of a token, to store. A token has too many random bits to be guessed from a fast hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
