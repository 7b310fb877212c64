import { createHash, randomBytes } from 'node:crypto'
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

/** Returns a new token or secret: 32 random bytes, with a prefix that identifies leaked ones. */
export function generateToken(prefix = 'tt'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** Returns the SHA-256 of a token, to store. A token has too many random bits to be guessed from a fast hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
