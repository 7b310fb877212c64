import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Returns a secret for one sign-in: 32 random bytes as 43 characters of base64url.
 *
 * Used as `code_verifier` (RFC 7636 section 4.1) and as `state` (RFC 6749 section 10.12).
 */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the S256 `code_challenge` of a verifier (RFC 7636 section 4.2). */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url')
}

/** Whether two secrets are equal, compared in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
