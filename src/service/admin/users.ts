import type { Kysely } from 'kysely'
import type { Scope } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { lockUser, type RevokedAccess, revokeAccess } from '../accounts/revocation.js'
import { generateToken, hashToken } from '../accounts/tokens.js'
import type { Schema } from '../storage/schema.js'
import type { Storage } from '../storage/storage.js'
import { inTransaction } from '../storage/transaction.js'
import { duplicateNameError, unknownNameError, validateName } from './validate-name.js'

/** A user as an administrator sees them. */
export interface User {
  id: number
  email: string
  name: string
  active: boolean
}

/** Adds an active user. Throws TtError `usage` for an invalid name or email address, or one that is in use. */
export async function addUser(
  { db }: Storage,
  { email, name, clock }: { email: string; name: string; clock: () => Date },
): Promise<User> {
  const address = validateEmail(email)
  const user = await db
    .insertInto('users')
    .values({ email: address, name: validateName('user', name), active: 1, created_at: clock().getTime() })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(userColumns)
    .executeTakeFirst()
  if (!user) throw duplicateNameError('user', address)
  return toUser(user)
}

/** Returns the email address as it is stored. Throws TtError `usage` for other text. */
export function validateEmail(email: string): string {
  const address = normalizeEmail(email)
  if (/^[^\s@]+@[^\s@]+$/.test(validateName('user', address))) return address
  throw new TtError('usage', `"${email}" is not an email address.`)
}

/** Returns all users, oldest first. */
export async function listUsers({ db }: Storage): Promise<User[]> {
  const users = await db.selectFrom('users').select(userColumns).orderBy('id').execute()
  return users.map(toUser)
}

/** Returns the user with that email address. Throws TtError `not_found`. */
export async function getUser({ db }: Pick<Storage, 'db'>, email: string): Promise<User> {
  const user = await db
    .selectFrom('users')
    .select(userColumns)
    .where('email', '=', addressOf(email))
    .executeTakeFirst()
  if (!user) throw unknownUserError(email)
  return toUser(user)
}

/** Activates a user. Throws TtError `not_found`. */
export function activateUser({ db }: Storage, email: string): Promise<User> {
  return setActive(db, email, true)
}

/**
 * Deactivates a user, and revokes all their tokens, consents and browser sessions: activating the user again does not
 * restore them. Throws TtError `not_found`.
 */
export async function deactivateUser(
  { db }: Storage,
  email: string,
  clock: () => Date,
): Promise<User & { revoked: RevokedAccess }> {
  return inTransaction(db, async (transaction) => {
    const user = await setActive(transaction, email, false)
    return { ...user, revoked: await revokeAccess(transaction, user.id, clock().getTime()) }
  })
}

/** Revokes all tokens, consents and browser sessions of a user. Throws TtError `not_found`. */
export async function revokeUser(
  { db }: Storage,
  email: string,
  clock: () => Date,
): Promise<User & { revoked: RevokedAccess }> {
  return inTransaction(db, async (transaction) => {
    // This update changes nothing and locks the row.
    const user = await transaction
      .updateTable('users')
      .set((row) => ({ active: row.ref('active') }))
      .where('email', '=', addressOf(email))
      .returning(userColumns)
      .executeTakeFirst()
    if (!user) throw unknownUserError(email)
    return { ...toUser(user), revoked: await revokeAccess(transaction, user.id, clock().getTime()) }
  })
}

/**
 * Removes the links of a user to accounts at OpenID Connect providers, and returns their number. Throws TtError
 * `not_found`.
 */
export async function unlinkUser({ db }: Storage, email: string): Promise<User & { removed: number }> {
  const user = await getUser({ db }, email)
  const { numDeletedRows } = await db
    .deleteFrom('identities')
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return { ...user, removed: Number(numDeletedRows) }
}

async function setActive(db: Kysely<Schema>, email: string, active: boolean): Promise<User> {
  const user = await db
    .updateTable('users')
    .set({ active: active ? 1 : 0 })
    .where('email', '=', addressOf(email))
    .returning(userColumns)
    .executeTakeFirst()
  if (!user) throw unknownUserError(email)
  return toUser(user)
}

/**
 * Issues a bearer token without expiry. Only its hash is stored, so the token cannot be shown again.
 *
 * Throws TtError `not_found` for an unknown user, `usage` for an inactive one, who would get access with the activation.
 */
export async function issueToken(
  storage: Storage,
  email: string,
  { scopes, name, clock }: { scopes: readonly Scope[]; name: string; clock: () => Date },
): Promise<string> {
  const now = clock().getTime()
  const token = generateToken(now)
  await inTransaction(storage.db, async (db) => {
    const userId = await findUserId({ db }, email)
    if (!(await lockUser(db, storage, userId))) throw inactiveUserError(email)
    await db
      .insertInto('tokens')
      .values({
        user_id: userId,
        hash: hashToken(token),
        kind: 'admin',
        scopes: scopes.join(' '),
        name: validateName('token', name),
        created_at: now,
      })
      .execute()
  })
  return token
}

/** Returns the ID of the user with that email address. Throws TtError `not_found`. */
export async function findUserId({ db }: Pick<Storage, 'db'>, email: string): Promise<number> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', addressOf(email))
    .executeTakeFirst()
  if (!user) throw unknownUserError(email)
  return user.id
}

export const userColumns = ['id', 'email', 'name', 'active'] as const
export const toUser = (user: Omit<User, 'active'> & { active: number }): User => ({
  ...user,
  active: user.active === 1,
})

/** Returns the email address as it is stored, so that different spellings mean the same user. */
export const normalizeEmail = (email: string) => email.trim().toLowerCase()

/** Returns what a removed user whose time stays has instead of an email address. No user can be added with it. */
export const removedEmail = (id: number) => `removed-user-${id}`
export const isRemovedEmail = (email: string) => !email.includes('@')

/** Returns the email address as it is stored. Throws TtError `not_found` for a removed user, who cannot change. */
function addressOf(email: string): string {
  const address = normalizeEmail(email)
  if (isRemovedEmail(address)) throw unknownUserError(email)
  return address
}

function inactiveUserError(email: string): TtError {
  return new TtError('usage', `The user "${normalizeEmail(email)}" is inactive and cannot get a token.`, {
    hint: 'Activate the user first.',
  })
}

export const unknownUserError = (email: string) => unknownNameError('user', email)
