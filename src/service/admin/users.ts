import type { Scope } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { generateToken, hashToken, lockUser, type RevokedAccess, revokeAccess } from '../accounts/tokens.js'
import type { Queries } from '../storage/queries.js'
import { insertInto, type Sql, sql } from '../storage/sql.js'
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
  { queries }: Storage,
  { email, name, clock }: { email: string; name: string; clock: () => Date },
): Promise<User> {
  const address = validateEmail(email)
  const row = { email: address, name: validateName('user', name), active: 1, created_at: clock().getTime() }
  const [user] = await queries.all<UserRow>(
    sql`${insertInto('users', row)} on conflict (email) do nothing returning ${userColumns}`,
  )
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
export async function listUsers({ queries }: Storage): Promise<User[]> {
  const users = await queries.all<UserRow>(sql`select ${userColumns} from users order by id`)
  return users.map(toUser)
}

/** Returns the user with that email address, unless it is removed. Throws TtError `not_found`. */
export async function getUser({ queries }: Pick<Storage, 'queries'>, email: string): Promise<User> {
  rejectRemoved(email)
  return findUser(queries, email)
}

/** Returns the user with that email address, also a removed one. Throws TtError `not_found`. */
export async function findUser(queries: Queries, email: string): Promise<User> {
  const [user] = await queries.all<UserRow>(
    sql`select ${userColumns} from users where email = ${normalizeEmail(email)}`,
  )
  if (!user) throw unknownUserError(email)
  return toUser(user)
}

/** Activates a user. Throws TtError `not_found`. */
export async function activateUser({ queries }: Storage, email: string): Promise<User> {
  rejectRemoved(email)
  return updateUser(queries, email, sql`active = 1`)
}

/**
 * Deactivates a user, and revokes all their tokens, consents and browser sessions: activating the user again does not
 * restore them. Throws TtError `not_found`.
 */
export async function deactivateUser(
  { queries }: Storage,
  email: string,
  clock: () => Date,
): Promise<User & { revoked: RevokedAccess }> {
  rejectRemoved(email)
  return queries.transaction(async (transaction) => {
    const user = await updateUser(transaction, email, sql`active = 0`)
    return { ...user, revoked: await revokeAccess(transaction, user.id, clock().getTime()) }
  })
}

/** Revokes all tokens, consents and browser sessions of a user. Throws TtError `not_found`. */
export async function revokeUser(
  { queries }: Storage,
  email: string,
  clock: () => Date,
): Promise<User & { revoked: RevokedAccess }> {
  rejectRemoved(email)
  return queries.transaction(async (transaction) => {
    const user = await lockedUser(transaction, email)
    return { ...user, revoked: await revokeAccess(transaction, user.id, clock().getTime()) }
  })
}

/**
 * Removes the links of a user to accounts at OpenID Connect providers, and returns their number. Throws TtError
 * `not_found`.
 */
export async function unlinkUser(storage: Storage, email: string): Promise<User & { removed: number }> {
  const user = await getUser(storage, email)
  const removed = await storage.queries.all(
    sql`delete from identities where user_id = ${user.id} returning user_id`,
  )
  return { ...user, removed: removed.length }
}

/** Changes columns of the user with that email address. Throws TtError `not_found`. */
export async function updateUser(queries: Queries, email: string, changes: Sql): Promise<User> {
  const [user] = await queries.all<UserRow>(
    sql`update users set ${changes} where email = ${normalizeEmail(email)} returning ${userColumns}`,
  )
  if (!user) throw unknownUserError(email)
  return toUser(user)
}

/** Returns the user with that email address, whose row is locked until the end of the transaction. */
export function lockedUser(queries: Queries, email: string): Promise<User> {
  return updateUser(queries, email, sql`active = active`)
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
  await storage.queries.transaction(async (queries) => {
    const userId = await findUserId(queries, email)
    if (!(await lockUser(queries, userId))) throw inactiveUserError(email)
    await queries.all(
      insertInto('tokens', {
        user_id: userId,
        hash: hashToken(token),
        kind: 'admin',
        scopes: scopes.join(' '),
        name: validateName('token', name),
        created_at: now,
      }),
    )
  })
  return token
}

/** Returns the ID of the user with that email address. Throws TtError `not_found`. */
export async function findUserId(queries: Queries, email: string): Promise<number> {
  return (await getUser({ queries }, email)).id
}

type UserRow = Omit<User, 'active'> & { active: number }
const userColumns = sql`id, email, name, active`
const toUser = (user: UserRow): User => ({ ...user, active: user.active === 1 })

/** Returns the email address as it is stored, so that different spellings mean the same user. */
export const normalizeEmail = (email: string) => email.trim().toLowerCase()

/** Returns what a removed user whose time stays has instead of an email address. No user can be added with it. */
export const removedEmail = (id: number) => `removed-user-${id}`
export const isRemovedEmail = (email: string) => !email.includes('@')

/** Throws TtError `not_found` for a removed user, who cannot change. */
function rejectRemoved(email: string) {
  if (isRemovedEmail(normalizeEmail(email))) throw unknownUserError(email)
}

function inactiveUserError(email: string): TtError {
  return new TtError('usage', `The user "${normalizeEmail(email)}" is inactive and cannot get a token.`, {
    hint: 'Activate the user first.',
  })
}

const unknownUserError = (email: string) => unknownNameError('user', email)
