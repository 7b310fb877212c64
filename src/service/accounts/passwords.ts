import { TtError } from '../../lib/errors.js'
import { findUserId, toUser, type User, userColumns } from '../admin/users.js'
import type { Storage } from '../storage/storage.js'
import { hashPassword, maxPasswordLength, type PasswordCost } from './password-hash.js'

const minLength = 8

/**
 * Sets the password of a user and ends their browser sessions. Throws TtError `usage` for a password of invalid length,
 * `not_found` for an unknown user.
 *
 * @param cost of the hash; default the full one
 */
export async function setPassword(
  storage: Storage,
  email: string,
  password: string,
  cost?: PasswordCost,
): Promise<User> {
  checkPassword(password)
  const id = await findUserId(storage, email)
  const hash = await hashPassword(password, cost)
  return storage.db.transaction().execute(async (db) => {
    await db.deleteFrom('sessions').where('user_id', '=', id).execute()
    const user = await db
      .updateTable('users')
      .set({ password: hash })
      .where('id', '=', id)
      .returning(userColumns)
      .executeTakeFirstOrThrow()
    return toUser(user)
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
