import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * A secret for one sign-in: 32 random bytes as 43 characters of base64url.
 *
 * It serves as `code_verifier` (RFC 7636 section 4.1) and as `state` (RFC 6749 section 10.12).
 */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The S256 `code_challenge` of a verifier (RFC 7636 section 4.2). */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier, 'ascii').digest('base64url')
}

/** Whether two secrets are the same, in a time that tells neither where they differ nor how long they are. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
