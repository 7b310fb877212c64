import { createHash, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../../api-client/types.js'
import { lockUser } from '../../accounts/revocation.js'
import { generateToken, hashToken } from '../../accounts/tokens.js'
import { appendUserAudit } from '../../admin/audit-log.js'
import type { Queries } from '../../storage/queries.js'
import { insertInto, sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'
import { type IssuedTokens, isActive, issueTokens, revokeGrant, withGrant } from './grants.js'

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
    isSignedIn(queries: Queries): Promise<boolean>
  },
): Promise<string | undefined> {
  const code = generateToken(consent.now, 'ttc')
  return storage.queries.transaction(async (queries) => {
    if (!(await lockUser(queries, consent.userId))) return undefined
    if (!(await consent.isSignedIn(queries))) return undefined
    const grant = insertInto('grants', {
      application_id: consent.applicationId,
      user_id: consent.userId,
      scopes: consent.scopes.join(' '),
      created_at: consent.now,
    })
    const [row] = await queries.all<{ id: number }>(sql`${grant} returning id`)
    await queries.all(
      insertInto('authorization_codes', {
        grant_id: row?.id,
        hash: hashToken(code),
        redirect_uri: consent.redirectUri,
        challenge: consent.codeChallenge,
        expires_at: consent.now + codeLifetimeMs,
      }),
    )
    const { userId, now, address, applicationName } = consent
    const details = `${applicationName} (${consent.scopes.join(' ')})`
    await appendUserAudit(queries, userId, { at: now, event: 'application_authorized', address, details })
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
  const [stored] = await storage.queries.all<{ grant_id: number }>(
    sql`select grant_id from authorization_codes where hash = ${hash}`,
  )
  return withGrant(storage, stored?.grant_id, async (queries, grant) => {
    const [code] = await queries.all<CodeRow>(sql`select * from authorization_codes where hash = ${hash}`)
    if (!code || grant.application_id !== request.applicationId) return undefined
    const isValid =
      code.used_at === null &&
      code.expires_at > request.now &&
      isActive(grant) &&
      code.redirect_uri === request.redirectUri &&
      matchesChallenge(request.codeVerifier, code.challenge)
    if (!isValid) {
      await revokeGrant(queries, grant.id, request.now)
      return undefined
    }
    await queries.all(sql`update authorization_codes set used_at = ${request.now} where id = ${code.id}`)
    return issueTokens(queries, grant, { parent: null, scopes: grant.scopes, now: request.now })
  })
}

interface CodeRow {
  id: number
  redirect_uri: string
  challenge: string
  expires_at: number
  used_at: number | null
}

/** Whether the challenge is the S256 challenge of the verifier (RFC 7636 section 4.6). */
function matchesChallenge(verifier: string, challenge: string): boolean {
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const actual = createHash('sha256').update(verifier).digest()
  const expected = Buffer.from(challenge, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
