import type { Scope } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { generateToken, hashToken } from '../accounts/tokens.js'
import type { Storage } from '../storage/storage.js'
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
  const address = normalizeEmail(email)
  if (!/^[^\s@]+@[^\s@]+$/.test(validateName('user', address))) {
    throw new TtError('usage', `"${email}" is not an email address.`)
  }
  const user = await db
    .insertInto('users')
    .values({ email: address, name: validateName('user', name), active: 1, created_at: clock().getTime() })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(userColumns)
    .executeTakeFirst()
  if (!user) throw duplicateNameError('user', address)
  return toUser(user)
}

/** Returns all users, oldest first. */
export async function listUsers({ db }: Storage): Promise<User[]> {
  const users = await db.selectFrom('users').select(userColumns).orderBy('id').execute()
  return users.map(toUser)
}

/** Activates or deactivates a user; the service rejects all tokens of inactive users. Throws TtError `not_found`. */
export async function setUserActive({ db }: Storage, email: string, active: boolean): Promise<User> {
  const user = await db
    .updateTable('users')
    .set({ active: active ? 1 : 0 })
    .where('email', '=', normalizeEmail(email))
    .returning(userColumns)
    .executeTakeFirst()
  if (!user) throw unknownUserError(email)
  return toUser(user)
}

/**
 * Issues a bearer token without expiry. Only its hash is stored, so the token cannot be shown again.
 *
 * Throws TtError `not_found` for an unknown user.
 */
export async function issueToken(
  storage: Storage,
  email: string,
  { scopes, name, clock }: { scopes: readonly Scope[]; name: string; clock: () => Date },
): Promise<string> {
  const token = generateToken()
  await storage.db
    .insertInto('tokens')
    .values({
      user_id: await findUserId(storage, email),
      hash: hashToken(token),
      scopes: scopes.join(' '),
      name: validateName('token', name),
      created_at: clock().getTime(),
    })
    .execute()
  return token
}

/** Returns the ID of the user with that email address. Throws TtError `not_found`. */
export async function findUserId({ db }: Pick<Storage, 'db'>, email: string): Promise<number> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', normalizeEmail(email))
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
const unknownUserError = (email: string) => unknownNameError('user', email)
