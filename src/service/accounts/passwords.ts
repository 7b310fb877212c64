import { randomBytes } from 'node:crypto'
import { TtError } from '../../lib/errors.js'
import { findUserId, type User, updateUser } from '../admin/users.js'
import { sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { hashPassword, maxPasswordLength, type PasswordCost } from './password-hash.js'
import { type RevokedAccess, revokeAccess } from './revocation.js'

const minLength = 10

/**
 * Sets the password of a user, and revokes all their tokens, consents and browser sessions. Throws TtError `usage` for a
 * weak password, `not_found` for an unknown user.
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
  await checkPassword(password, email)
  await findUserId(storage.queries, email)
  const hash = await hashPassword(password, cost)
  return storage.queries.transaction(async (queries) => {
    const user = await updateUser(queries, email, sql`password = ${hash}`)
    return { ...user, revoked: await revokeAccess(queries, user.id, clock().getTime()) }
  })
}

/**
 * Throws TtError `usage` for a password that is too short or too long, among the most common ones, or made of the email
 * address.
 */
export async function checkPassword(password: string, email: string): Promise<void> {
  const length = [...password].length
  if (length < minLength || length > maxPasswordLength)
    throw weakPassword(
      `A password must have ${minLength} to ${maxPasswordLength} characters; this one has ${length}.`,
    )
  const normal = normalize(password)
  if (isFromEmail(normal, normalize(email)))
    throw weakPassword('The password is the email address or its name, except for digits and punctuation.')
  const { commonPasswords } = await import('./common-passwords.js')
  if (commonPasswords.has(normal)) throw weakPassword('The password is one of the most common passwords.')
}

/** Returns a random password with 100 bits, without characters that are hard to tell apart. */
export function generatePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const words = [0, 1, 2, 3].map(() =>
    [...randomBytes(5)].map((byte) => letters[byte % letters.length]).join(''),
  )
  return words.join('-')
}

/** Whether the password is the name of the email address or the whole address, with other digits and punctuation. */
function isFromEmail(password: string, email: string): boolean {
  const name = email.replace(/@.*/s, '')
  if (password === name || password === email) return true
  const letters = lettersOf(password)
  return letters !== '' && (letters === lettersOf(name) || letters === lettersOf(email))
}

const lettersOf = (text: string) => text.replace(/[^\p{Letter}]/gu, '')
const normalize = (text: string) => text.normalize('NFKC').trim().toLowerCase()

function weakPassword(message: string): TtError {
  return new TtError('usage', message, {
    hint: 'Choose another password, for example several random words.',
  })
}
