import { createHash, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../../api-client/types.js'
import { lockUser } from '../../accounts/revocation.js'
import { generateToken, hashToken } from '../../accounts/tokens.js'
import { appendUserAudit } from '../../admin/audit-log.js'
import type { Storage } from '../../storage/storage.js'
import { type Db, type IssuedTokens, isActive, issueTokens, revokeGrant, withGrant } from './grants.js'

const codeLifetimeMs = 60_000

/**
 * Stores the consent of a user, and returns a code that the application can redeem once within a minute. Returns undefined
 * if the user has been deactivated or signed out.
 */
export async function issueAuthorizationCode(
  storage: Storage,
  consent: {
    applicationId: number
    applicationName: string
    /** The network address of the browser. */
    address: string
    userId: number
    scopes: readonly Scope[]
    redirectUri: string
    codeChallenge: string
    now: number
    /** Whether the user is still signed in; called while the user is locked. */
    isSignedIn(db: Db): Promise<boolean>
  },
): Promise<string | undefined> {
  const code = generateToken(consent.now, 'ttc')
  return storage.db.transaction().execute(async (transaction) => {
    if (!(await lockUser(transaction, storage, consent.userId))) return undefined
    if (!(await consent.isSignedIn(transaction))) return undefined
    const grant = await transaction
      .insertInto('grants')
      .values({
        application_id: consent.applicationId,
        user_id: consent.userId,
        scopes: consent.scopes.join(' '),
        created_at: consent.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await transaction
      .insertInto('authorization_codes')
      .values({
        grant_id: grant.id,
        hash: hashToken(code),
        redirect_uri: consent.redirectUri,
        challenge: consent.codeChallenge,
        expires_at: consent.now + codeLifetimeMs,
      })
      .execute()
    const { userId, now, address, applicationName } = consent
    const details = `${applicationName} (${consent.scopes.join(' ')})`
    await appendUserAudit(transaction, userId, { at: now, event: 'application_authorized', address, details })
    return code
  })
}

/**
 * Issues the first tokens for a code (RFC 6749 section 4.1.3, RFC 7636 section 4.6); returns undefined for an invalid
 * code. The first attempt uses the code up; a second one revokes the tokens of the first (RFC 9700 section 4.5).
 */
export async function redeemAuthorizationCode(
  storage: Storage,
  request: { code: string; applicationId: number; redirectUri: string; codeVerifier: string; now: number },
): Promise<IssuedTokens | undefined> {
  const hash = hashToken(request.code)
  const stored = await storage.db
    .selectFrom('authorization_codes')
    .select('grant_id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return withGrant(storage, stored?.grant_id, async (db, grant) => {
    const code = await db
      .selectFrom('authorization_codes')
      .selectAll()
      .where('hash', '=', hash)
      .executeTakeFirst()
    if (!code || grant.application_id !== request.applicationId) return undefined
    const isValid =
      code.used_at === null &&
      code.expires_at > request.now &&
      isActive(grant) &&
      code.redirect_uri === request.redirectUri &&
      matchesChallenge(request.codeVerifier, code.challenge)
    if (!isValid) {
      await revokeGrant(db, grant.id, request.now)
      return undefined
    }
    await db
      .updateTable('authorization_codes')
      .set({ used_at: request.now })
      .where('id', '=', code.id)
      .execute()
    return issueTokens(db, grant, { parent: null, scopes: grant.scopes, now: request.now })
  })
}

/** Whether the challenge is the S256 challenge of the verifier (RFC 7636 section 4.6). */
function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const actual = createHash('sha256').update(verifier).digest()
  const expected = Buffer.from(challenge, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
