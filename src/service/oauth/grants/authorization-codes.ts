import { createHash, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../../api/types.js'
import { generateToken, hashToken } from '../../accounts/tokens.js'
import type { Storage } from '../../storage/storage.js'
import { type IssuedTokens, isActive, issueTokens, revokeGrant, withGrant } from './grants.js'

const codeMs = 60_000

/** Keeps what a user has allowed, and answers the code that the application can redeem once within a minute. */
export async function issueAuthorizationCode(
  { db }: Storage,
  allowed: {
    applicationId: number
    userId: number
    scopes: readonly Scope[]
    redirectUri: string
    challenge: string
    now: number
  },
): Promise<string> {
  const code = generateToken('ttc')
  await db.transaction().execute(async (transaction) => {
    const grant = await transaction
      .insertInto('grants')
      .values({
        application_id: allowed.applicationId,
        user_id: allowed.userId,
        scopes: allowed.scopes.join(' '),
        created_at: allowed.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await transaction
      .insertInto('authorization_codes')
      .values({
        grant_id: grant.id,
        hash: hashToken(code),
        redirect_uri: allowed.redirectUri,
        challenge: allowed.challenge,
        expires_at: allowed.now + codeMs,
      })
      .execute()
  })
  return code
}

/**
 * The first tokens for a code (RFC 6749 section 4.1.3, RFC 7636 section 4.6); undefined when it does not hold.
 * A code is spent by the first attempt, and a second one revokes what came of it (RFC 9700 section 4.5).
 */
export async function redeemAuthorizationCode(
  storage: Storage,
  asked: { code: string; applicationId: number; redirectUri: string; verifier: string; now: number },
): Promise<IssuedTokens | undefined> {
  const hash = hashToken(asked.code)
  const found = await storage.db
    .selectFrom('authorization_codes')
    .select('grant_id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return withGrant(storage, found?.grant_id, async (db, grant) => {
    const code = await db
      .selectFrom('authorization_codes')
      .selectAll()
      .where('hash', '=', hash)
      .executeTakeFirst()
    if (!code || grant.application_id !== asked.applicationId) return undefined
    const holds =
      code.used_at === null &&
      code.expires_at > asked.now &&
      isActive(grant) &&
      code.redirect_uri === asked.redirectUri &&
      isChallengeOf(asked.verifier, code.challenge)
    if (!holds) {
      await revokeGrant(db, grant.id, asked.now)
      return undefined
    }
    await db
      .updateTable('authorization_codes')
      .set({ used_at: asked.now })
      .where('id', '=', code.id)
      .execute()
    return issueTokens(db, grant, { parent: null, scopes: grant.scopes, now: asked.now })
  })
}

/** Whether the challenge was made from the verifier with S256 (RFC 7636 section 4.6). */
function isChallengeOf(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const made = createHash('sha256').update(verifier).digest()
  const known = Buffer.from(challenge, 'base64url')
  return made.length === known.length && timingSafeEqual(made, known)
}
