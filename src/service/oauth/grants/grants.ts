import { createHash, timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../../api-client/types.js'
import { dayMs } from '../../../lib/time-units.js'
import { generateToken, hashToken, lockUser } from '../../accounts/tokens.js'
import { appendAudit, appendUserAudit } from '../../admin/audit-log.js'
import type { Queries } from '../../storage/queries.js'
import { insertInto, sql } from '../../storage/sql.js'
import type { Storage } from '../../storage/storage.js'

/** The tokens that the token endpoint issues. */
export interface IssuedTokens {
  accessToken: string
  refreshToken: string
  scopes: string
  user: { id: number; name: string; email: string }
}

/** Lifetime of access tokens: two hours (service-api-v1.md section 5). */
export const accessTokenSeconds = 2 * 60 * 60
const refreshTokenMs = 90 * dayMs

/**
 * Revokes the token family of an access token or a refresh token (RFC 7009). Returns true for an unknown token, too, and
 * false for a token of another application.
 */
export async function revokeToken(
  storage: Storage,
  request: { token: string; applicationId: number; address: string; now: number },
): Promise<boolean> {
  const hash = hashToken(request.token)
  const [stored] = await storage.queries.all<{ grant_id: number }>(sql`
    select grant_id from refresh_tokens where hash = ${hash}
      or id = (select refresh_token_id from tokens where hash = ${hash})`)
  const isRevoked = await withGrant(storage, stored?.grant_id, async (queries, grant) => {
    if (grant.application_id !== request.applicationId) return false
    if (grant.revoked_at !== null) return true
    await revokeGrant(queries, grant.id, request.now)
    await appendAudit(queries, {
      ...{ at: request.now, event: 'application_revoked', actor: grant.email, address: request.address },
    })
    return true
  })
  return isRevoked ?? true
}

/** The consent of a user to an application, with the user. */
interface Grant {
  id: number
  application_id: number
  user_id: number
  scopes: string
  revoked_at: number | null
  active: number
  name: string
  email: string
}

const isActive = ({ revoked_at, active }: Grant) => revoked_at === null && active === 1

/** Runs `work` in a transaction that locks the grant; returns undefined when the grant does not exist. */
async function withGrant<Result>(
  { queries }: Storage,
  id: number | undefined,
  work: (queries: Queries, grant: Grant) => Promise<Result>,
): Promise<Result | undefined> {
  if (id === undefined) return undefined
  const lock = queries.dialect === 'postgres' ? sql`for update of grants` : sql``
  return queries.transaction(async (transaction) => {
    const [grant] = await transaction.all<Grant>(sql`
      select grants.*, users.active, users.name, users.email
      from grants inner join users on users.id = grants.user_id where grants.id = ${id} ${lock}`)
    return grant && work(transaction, grant)
  })
}

/** Issues an access token and a refresh token; `parent` is the refresh token that they replace. */
async function issueTokens(
  queries: Queries,
  grant: Grant,
  { parent, scopes, now }: { parent: number | null; scopes: string; now: number },
): Promise<IssuedTokens> {
  const [accessToken, refreshToken] = [generateToken(now), generateToken(now, 'ttr')]
  const refresh = insertInto('refresh_tokens', {
    grant_id: grant.id,
    hash: hashToken(refreshToken),
    parent_id: parent,
    created_at: now,
    expires_at: now + refreshTokenMs,
  })
  const [row] = await queries.all<{ id: number }>(sql`${refresh} returning id`)
  await queries.all(
    insertInto('tokens', {
      user_id: grant.user_id,
      hash: hashToken(accessToken),
      kind: 'oauth',
      scopes,
      name: 'OAuth',
      created_at: now,
      expires_at: now + accessTokenSeconds * 1000,
      refresh_token_id: row?.id,
    }),
  )
  const { user_id: userId, name, email } = grant
  return { accessToken, refreshToken, scopes, user: { id: userId, name, email } }
}

/** Revokes a grant with all its tokens. The time of an earlier revocation stays. */
export async function revokeGrant(queries: Queries, id: number, now: number): Promise<void> {
  await queries.all(sql`update grants set revoked_at = ${now} where id = ${id} and revoked_at is null`)
  await queries.all(sql`
    update tokens set revoked_at = ${now} where revoked_at is null
      and refresh_token_id in (select id from refresh_tokens where grant_id = ${id})`)
}

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

/**
 * Issues new tokens for a refresh token, which is used up by that (RFC 6749 section 6, RFC 9700 section 4.14.2).
 *
 * Because the response may be lost, a used token is accepted again as long as its replacement is unused; the
 * replacement is then revoked. Otherwise its reuse revokes the whole token family.
 */
export async function refreshTokens(
  storage: Storage,
  request: {
    token: string
    applicationId: number
    scopes: readonly string[] | undefined
    address: string
    now: number
  },
): Promise<IssuedTokens | 'invalid_grant' | 'invalid_scope'> {
  const hash = hashToken(request.token)
  const select = sql`select * from refresh_tokens where hash = ${hash}`
  const [stored] = await storage.queries.all<RefreshTokenRow>(select)
  const outcome = await withGrant(storage, stored?.grant_id, async (queries, grant) => {
    const [token] = await queries.all<RefreshTokenRow>(select)
    if (!token || grant.application_id !== request.applicationId) return 'invalid_grant'
    if (!isActive(grant) || token.expires_at <= request.now) return 'invalid_grant'
    const granted = grant.scopes.split(' ')
    const scopes =
      request.scopes === undefined ? granted : granted.filter((scope) => request.scopes?.includes(scope))
    if (request.scopes?.some((scope) => !granted.includes(scope))) return 'invalid_scope'
    const parent =
      token.replaced_at === null ? token.id : await revokeUnusedReplacement(queries, token, request.now)
    if (parent === undefined) {
      await revokeGrant(queries, grant.id, request.now)
      await appendAudit(queries, {
        ...{ at: request.now, event: 'refresh_token_reused', actor: grant.email, address: request.address },
      })
      return 'invalid_grant'
    }
    await markReplaced(queries, token.id, request.now)
    return issueTokens(queries, grant, { parent, scopes: scopes.join(' '), now: request.now })
  })
  return outcome ?? 'invalid_grant'
}

interface RefreshTokenRow {
  id: number
  grant_id: number
  /** The refresh token that it replaced; null for the first of a family. */
  parent_id: number | null
  expires_at: number
  replaced_at: number | null
}

/**
 * Revokes the newest tokens of the family if they are unused and replaced `used` or its parent. Returns the ID of the
 * refresh token that they replaced; undefined when they have been used or replaced another token.
 */
async function revokeUnusedReplacement(
  queries: Queries,
  used: RefreshTokenRow,
  now: number,
): Promise<number | undefined> {
  const [newest] = await queries.all<RefreshTokenRow>(
    sql`select * from refresh_tokens where grant_id = ${used.grant_id} and replaced_at is null`,
  )
  if (!newest || newest.parent_id === null) return undefined
  // Two parallel refreshes both replace the same token; either response may be the one that arrives.
  if (newest.parent_id !== used.id && newest.parent_id !== used.parent_id) return undefined
  const revoked = await queries.all(sql`
    update tokens set revoked_at = ${now}
    where refresh_token_id = ${newest.id} and used_at is null returning id`)
  if (revoked.length === 0) return undefined
  await markReplaced(queries, newest.id, now)
  return newest.parent_id
}

async function markReplaced(queries: Queries, id: number, now: number): Promise<void> {
  await queries.all(
    sql`update refresh_tokens set replaced_at = ${now} where id = ${id} and replaced_at is null`,
  )
}
