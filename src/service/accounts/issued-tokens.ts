import type { Kysely } from 'kysely'
import { findUserId } from '../admin/users.js'
import { unknownNameError } from '../admin/validate-name.js'
import { revokeGrant } from '../oauth/grants/grants.js'
import type { Schema, TokenKind } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { inTransaction } from '../storage/transaction.js'
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
  { db }: Storage,
  { email, clock }: { email: string | undefined; clock: () => Date },
): Promise<IssuedToken[]> {
  const userId = email === undefined ? undefined : await findUserId({ db }, email)
  const rows = [...(await selectTokens(db, { userId })), ...(await selectGrants(db, { userId }))]
  return toIssuedTokens(rows, clock())
}

/**
 * Revokes tokens and grants by their IDs, all or none, and returns them. Throws TtError `not_found` for an unknown ID.
 */
export async function revokeIssuedTokens(
  { db }: Storage,
  ids: readonly string[],
  clock: () => Date,
): Promise<IssuedToken[]> {
  return inTransaction(db, async (transaction) => {
    for (const id of ids) await revokeIssuedToken(transaction, id, clock().getTime())
    return findIssuedTokens(transaction, ids, clock())
  })
}

/** Returns tokens and grants by their IDs. Throws TtError `not_found` for an unknown ID. */
export function getIssuedTokens(
  { db }: Storage,
  ids: readonly string[],
  clock: () => Date,
): Promise<IssuedToken[]> {
  return findIssuedTokens(db, ids, clock())
}

/** Returns the browser sessions of a user, oldest first. Throws TtError `not_found` for an unknown user. */
export async function listBrowserSignIns(
  { db }: Storage,
  email: string,
  clock: () => Date,
): Promise<BrowserSignIn[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['created_at', 'expires_at', 'address', 'browser'])
    .where('user_id', '=', await findUserId({ db }, email))
    .where('expires_at', '>', clock().getTime())
    .orderBy('created_at')
    .execute()
  return rows.map(({ created_at, expires_at, address, browser }) => ({
    ...{ createdAt: new Date(created_at), expiresAt: new Date(expires_at), address, browser },
  }))
}

async function revokeIssuedToken(db: Kysely<Schema>, text: string, now: number): Promise<void> {
  const { table, id } = parseTokenId(text)
  // The time of an earlier revocation stays.
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set((row) => ({ revoked_at: row.fn.coalesce('revoked_at', row.val(now)) }))
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw unknownNameError('token', text)
  if (table === 'grants') await revokeGrant(db, id, now)
}

async function findIssuedTokens(
  db: Kysely<Schema>,
  ids: readonly string[],
  now: Date,
): Promise<IssuedToken[]> {
  const found: IssuedToken[] = []
  for (const text of ids) {
    const { table, id } = parseTokenId(text)
    const rows = table === 'tokens' ? await selectTokens(db, { id }) : await selectGrants(db, { id })
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

async function selectTokens(db: Kysely<Schema>, { id, userId }: Selected): Promise<TokenRow[]> {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .leftJoin('company', (join) => join.onTrue())
    .select(['users.email', 'users.active', 'company.legacy_keys', 'company.legacy_key_days'])
    .select(['tokens.id', 'tokens.kind', 'tokens.name', 'tokens.scopes', 'tokens.created_at'])
    .select(['tokens.used_at', 'tokens.expires_at', 'tokens.revoked_at'])
    .where('tokens.kind', '<>', 'oauth')
    .$if(id !== undefined, (query) => query.where('tokens.id', '=', id ?? 0))
    .$if(userId !== undefined, (query) => query.where('tokens.user_id', '=', userId ?? 0))
    .execute()
  return rows.map((row) => ({ ...row, id: `t${row.id}` }))
}

/** Selects the grants that have had tokens. Each expires with its newest refresh token. */
async function selectGrants(db: Kysely<Schema>, { id, userId }: Selected): Promise<TokenRow[]> {
  const rows = await db
    .selectFrom('grants')
    .innerJoin('users', 'users.id', 'grants.user_id')
    .innerJoin('applications', 'applications.id', 'grants.application_id')
    .innerJoin('refresh_tokens', 'refresh_tokens.grant_id', 'grants.id')
    .leftJoin('tokens', 'tokens.refresh_token_id', 'refresh_tokens.id')
    .select(['grants.id', 'grants.scopes', 'grants.created_at', 'grants.revoked_at'])
    .select(['users.email', 'users.active', 'applications.name'])
    .select(({ fn }) => fn.max('refresh_tokens.expires_at').as('expires_at'))
    .select(({ fn }) => fn.max('tokens.used_at').as('used_at'))
    .$if(id !== undefined, (query) => query.where('grants.id', '=', id ?? 0))
    .$if(userId !== undefined, (query) => query.where('grants.user_id', '=', userId ?? 0))
    .groupBy(['grants.id', 'grants.scopes', 'grants.created_at', 'grants.revoked_at'])
    .groupBy(['users.email', 'users.active', 'applications.name'])
    .execute()
  return rows.map((row) => ({
    ...row,
    ...{ id: `g${row.id}`, kind: 'oauth', legacy_keys: null, legacy_key_days: null },
  }))
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
