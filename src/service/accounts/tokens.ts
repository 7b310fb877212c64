import { hash, randomBytes } from 'node:crypto'
import { dayMs } from '../../lib/time-units.js'
import { appendUserAudit } from '../admin/audit-log.js'
import type { OAuthRequestContext } from '../oauth/oauth-request-context.js'
import type { Queries } from '../storage/queries.js'
import type { TokenKind } from '../storage/schema.js'
import { sql } from '../storage/sql.js'

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

/** What a token gives: access, a code for tokens, or new tokens. */
type TokenPrefix = 'tt' | 'ttc' | 'ttr'

/**
 * Returns a new token: a prefix that identifies leaked ones, the time in 12 hexadecimal digits, and 32 random bytes.
 *
 * @param now epoch milliseconds
 */
export function generateToken(now: number, prefix: TokenPrefix = 'tt'): string {
  return generateSecret(`${prefix}_${now.toString(16).padStart(12, '0')}`)
}

/** Returns a new secret: 32 random bytes, with a prefix that identifies leaked ones. */
export function generateSecret(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/**
 * Returns the time and the SHA-256 of a token, to store. The hash of a token without time, which earlier releases
 * issued, has none. Because of the time, tokens that expire together are adjacent in an index.
 */
export function hashToken(token: string): string {
  const [, time = ''] = /^(?:tt|ttc|ttr)_([0-9a-f]{12})_[\w-]{43}$/.exec(token) ?? []
  return time + hashSecret(token)
}

/** Returns the SHA-256 of a secret, to store. It has too many random bits to be guessed from a fast hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

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
export async function revokeAccess(queries: Queries, userId: number, now: number): Promise<RevokedAccess> {
  // Grants come first: a refresh in progress has locked its grant, and its tokens are visible afterwards.
  const grants = await queries.all(sql`
    update grants set revoked_at = ${now} where user_id = ${userId} and revoked_at is null returning id`)
  const revoked = await queries.all<{ kind: TokenKind }>(sql`
    update tokens set revoked_at = ${now} where user_id = ${userId} and revoked_at is null returning kind`)
  const sessions = await queries.all(sql`delete from sessions where user_id = ${userId} returning hash`)
  const tokens = revoked.filter(({ kind }) => kind !== 'oauth')
  return { tokens: tokens.length, grants: grants.length, sessions: sessions.length }
}

/**
 * Returns the password hash of an active user, and locks the user until the end of the transaction, so that `revokeAccess`
 * waits for what the transaction issues. Returns undefined for an inactive user.
 */
export async function lockUser(
  queries: Queries,
  userId: number,
): Promise<{ password: string | null } | undefined> {
  const lock = queries.dialect === 'postgres' ? sql`for share` : sql``
  const [user] = await queries.all<{ password: string | null }>(
    sql`select password from users where id = ${userId} and active = 1 ${lock}`,
  )
  return user
}

/** Revokes a legacy key. Returns false if the token is not a legacy key; true again for a key that is revoked. */
export async function revokeKey(
  { storage, address, now }: Pick<OAuthRequestContext, 'storage' | 'address' | 'now'>,
  token: string,
): Promise<boolean> {
  const [key] = await storage.queries.all<{ id: number; user_id: number; name: string }>(
    sql`select id, user_id, name from tokens where hash = ${hashToken(token)} and kind = 'key'`,
  )
  if (!key) return false
  return storage.queries.transaction(async (queries) => {
    const revoked = await queries.all(sql`
      update tokens set revoked_at = ${now} where id = ${key.id} and revoked_at is null returning id`)
    const record = { at: now, event: 'key_revoked', address, details: key.name } as const
    if (revoked.length > 0) await appendUserAudit(queries, key.user_id, record)
    return true
  })
}
