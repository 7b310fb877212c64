import { TtError } from '../../lib/errors.js'
import { findUserId, toUser, type User, userColumns } from '../admin/users.js'
import type { Storage } from '../storage/storage.js'
import { hashPassword, maxPasswordLength, type PasswordCost } from './password-hash.js'
import { type RevokedAccess, revokeAccess } from './revocation.js'

const minLength = 8

/**
 * Sets the password of a user, and revokes all their tokens, consents and browser sessions. Throws TtError `usage` for a
 * password of invalid length, `not_found` for an unknown user.
 *
 * @param cost of the hash; default the full one
 */
export async function setPassword(
  storage: Storage,
  {
    email,
    password,
    clock,
    cost,
  }: { email: string; password: string; clock: () => Date; cost?: PasswordCost },
): Promise<User & { revoked: RevokedAccess }> {
  checkPassword(password)
  const id = await findUserId(storage, email)
  const hash = await hashPassword(password, cost)
  return storage.db.transaction().execute(async (db) => {
    const user = await db
      .updateTable('users')
      .set({ password: hash })
      .where('id', '=', id)
      .returning(userColumns)
      .executeTakeFirstOrThrow()
    return { ...toUser(user), revoked: await revokeAccess(db, id, clock().getTime()) }
  })
}

/** Throws TtError `usage` for a password that is too short or too long. */
export function checkPassword(password: string): void {
  const length = [...password].length
  if (length >= minLength && length <= maxPasswordLength) return
  throw new TtError(
    'usage',
    `A password must have ${minLength} to ${maxPasswordLength} characters; this one has ${length}.`,
    {
      hint: 'Choose another password, for example several random words.',
    },
  )
}
