import { hash, randomBytes } from 'node:crypto'
import { dayMs } from '../../lib/time-units.js'
import type { TokenKind } from '../storage/schema.js'

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
