import { findUserId } from '../admin/users.js'
import { unknownNameError } from '../admin/validate-name.js'
import { revokeGrant } from '../oauth/grants/grants.js'
import type { Queries } from '../storage/queries.js'
import type { TokenKind } from '../storage/schema.js'
import { allOf, identifier, sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { expiryOf } from './tokens.js'

/** A token, or the consent of a user to an application with all tokens of the application, without secrets. */
export interface IssuedToken {
  /** `t` and the ID of a token, or `g` and the ID of a grant. */
  id: string
  /** The email address of the user. */
  user: string
  kind: TokenKind
  /** The name of the application or of the token. */
  name: string
  scopes: string[]
  createdAt: Date
  /** The last use, to the hour; null before the first one. */
  usedAt: Date | null
  /** Null for a token that does not expire. */
  expiresAt: Date | null
  revokedAt: Date | null
  /** Whether the service accepts it. */
  isValid: boolean
}

/** A browser in which a user is signed in. */
export interface BrowserSignIn {
  createdAt: Date
  expiresAt: Date
  /** The network address at the sign-in; null for a session that an older version has created. */
  address: string | null
  browser: string | null
}

/** Returns the tokens of all users, or of one, oldest first. Throws TtError `not_found` for an unknown user. */
export async function listIssuedTokens(
  { queries }: Storage,
  { email, clock }: { email: string | undefined; clock: () => Date },
): Promise<IssuedToken[]> {
  const userId = email === undefined ? undefined : await findUserId(queries, email)
  const rows = [...(await selectTokens(queries, { userId })), ...(await selectGrants(queries, { userId }))]
  return toIssuedTokens(rows, clock())
}

/**
 * Revokes tokens and grants by their IDs, all or none, and returns them. Throws TtError `not_found` for an unknown ID.
 */
export async function revokeIssuedTokens(
  { queries }: Storage,
  ids: readonly string[],
  clock: () => Date,
): Promise<IssuedToken[]> {
  return queries.transaction(async (transaction) => {
    for (const id of ids) await revokeIssuedToken(transaction, id, clock().getTime())
    return findIssuedTokens(transaction, ids, clock())
  })
}

/** Returns tokens and grants by their IDs. Throws TtError `not_found` for an unknown ID. */
export function getIssuedTokens(
  { queries }: Storage,
  ids: readonly string[],
  clock: () => Date,
): Promise<IssuedToken[]> {
  return findIssuedTokens(queries, ids, clock())
}

/** Returns the browser sessions of a user, oldest first. Throws TtError `not_found` for an unknown user. */
export async function listBrowserSignIns(
  { queries }: Storage,
  email: string,
  clock: () => Date,
): Promise<BrowserSignIn[]> {
  const userId = await findUserId(queries, email)
  const rows = await queries.all<{
    created_at: number
    expires_at: number
    address: string | null
    browser: string | null
  }>(sql`
    select created_at, expires_at, address, browser from sessions
    where user_id = ${userId} and expires_at > ${clock().getTime()} order by created_at`)
  return rows.map(({ created_at, expires_at, address, browser }) => ({
    ...{ createdAt: new Date(created_at), expiresAt: new Date(expires_at), address, browser },
  }))
}

async function revokeIssuedToken(queries: Queries, text: string, now: number): Promise<void> {
  const { table, id } = parseTokenId(text)
  // The time of an earlier revocation stays.
  const revoked = await queries.all(sql`
    update ${identifier(table)} set revoked_at = coalesce(revoked_at, ${now}) where id = ${id} returning id`)
  if (revoked.length === 0) throw unknownNameError('token', text)
  if (table === 'grants') await revokeGrant(queries, id, now)
}

async function findIssuedTokens(queries: Queries, ids: readonly string[], now: Date): Promise<IssuedToken[]> {
  const found: IssuedToken[] = []
  for (const text of ids) {
    const { table, id } = parseTokenId(text)
    const rows = await (table === 'tokens' ? selectTokens : selectGrants)(queries, { id })
    const [token] = toIssuedTokens(rows, now)
    if (!token) throw unknownNameError('token', text)
    found.push(token)
  }
  return found
}

/** Returns the table and the ID of a row; 0, which no row has, for another text. */
function parseTokenId(text: string): { table: 'tokens' | 'grants'; id: number } {
  const [, letter, digits = '0'] = /^([tg])(\d{1,15})$/i.exec(text.trim()) ?? []
  return { table: letter?.toLowerCase() === 'g' ? 'grants' : 'tokens', id: Number(digits) }
}

/** Which rows to read: one, those of a user, or all. */
interface Selected {
  id?: number
  userId?: number | undefined
}

interface TokenRow {
  /** With the letter of its kind. */
  id: string
  email: string
  active: number
  kind: TokenKind
  name: string
  scopes: string
  created_at: number
  used_at: number | null
  expires_at: number | null
  revoked_at: number | null
  legacy_keys: number | null
  legacy_key_days: number | null
}

function selectTokens(queries: Queries, { id, userId }: Selected): Promise<TokenRow[]> {
  return queries.all<TokenRow>(sql`
    select 't' || tokens.id as id, users.email, users.active, tokens.kind, tokens.name, tokens.scopes,
      tokens.created_at, tokens.used_at, tokens.expires_at, tokens.revoked_at,
      company.legacy_keys, company.legacy_key_days
    from tokens inner join users on users.id = tokens.user_id left join company on true
    where tokens.kind <> 'oauth' and ${allOf(
      id !== undefined && sql`tokens.id = ${id}`,
      userId !== undefined && sql`tokens.user_id = ${userId}`,
    )}`)
}

/** Selects the grants that have had tokens. Each expires with its newest refresh token. */
function selectGrants(queries: Queries, { id, userId }: Selected): Promise<TokenRow[]> {
  return queries.all<TokenRow>(sql`
    select 'g' || grants.id as id, users.email, users.active, 'oauth' as kind, applications.name, grants.scopes,
      grants.created_at, max(tokens.used_at) as used_at, max(refresh_tokens.expires_at) as expires_at,
      grants.revoked_at, null as legacy_keys, null as legacy_key_days
    from grants inner join users on users.id = grants.user_id
      inner join applications on applications.id = grants.application_id
      inner join refresh_tokens on refresh_tokens.grant_id = grants.id
      left join tokens on tokens.refresh_token_id = refresh_tokens.id
    where ${allOf(
      id !== undefined && sql`grants.id = ${id}`,
      userId !== undefined && sql`grants.user_id = ${userId}`,
    )}
    group by grants.id, grants.scopes, grants.created_at, grants.revoked_at, users.email, users.active,
      applications.name`)
}

function toIssuedTokens(rows: TokenRow[], now: Date): IssuedToken[] {
  const inOrder = rows.toSorted((one, other) => one.created_at - other.created_at)
  return inOrder.map((row) => {
    const expiry = expiryOf(row, row)
    const isExpired = expiry !== null && expiry <= now.getTime()
    return {
      id: row.id,
      user: row.email,
      kind: row.kind,
      name: row.name,
      scopes: row.scopes.split(' '),
      createdAt: new Date(row.created_at),
      usedAt: toDate(row.used_at),
      // Keys that the service does not accept have no expiry of their own.
      expiresAt: expiry === 0 ? null : toDate(expiry),
      revokedAt: toDate(row.revoked_at),
      isValid: row.revoked_at === null && row.active === 1 && !isExpired,
    }
  })
}

const toDate = (ms: number | null) => (ms === null ? null : new Date(ms))
