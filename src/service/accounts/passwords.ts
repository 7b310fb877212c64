import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { TtError } from '../../lib/errors.js'
import { findUserId, type User, updateUser } from '../admin/users.js'
import { sql } from '../storage/sql.js'
import type { Storage } from '../storage/storage.js'
import { type RevokedAccess, revokeAccess } from './tokens.js'

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

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** The parameters of scrypt; `ln` is the logarithm of N to base 2. */
export interface PasswordCost {
  ln: number
  r: number
  p: number
}

/** One of the parameter sets that OWASP recommends (32 MiB): N = 2^15, r = 8, p = 3. */
const fullCost: PasswordCost = { ln: 15, r: 8, p: 3 }
const hashBytes = 32

/** In characters. Hashing longer texts would only cost time. */
const maxPasswordLength = 1024

/** Returns the password hash to store: scrypt (RFC 7914) with cost and salt, `$scrypt$ln=15,r=8,p=3$SALT$HASH`. */
export async function hashPassword(password: string, cost = fullCost): Promise<string> {
  const salt = randomBytes(16)
  const hash = await deriveHash(password, salt, cost)
  const { ln, r, p } = cost
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/**
 * Whether the password matches the stored hash. Without a stored hash the result is false after the work of this cost,
 * so that the duration does not reveal whether an account exists.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  cost = fullCost,
): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = storedPattern.exec(stored ?? '') ?? []
  if (ln === undefined || password.length > 2 * maxPasswordLength) {
    await deriveHash('', randomBytes(16), cost)
    return false
  }
  const expected = Buffer.from(hash, 'base64url')
  const actual = await deriveHash(password, Buffer.from(salt, 'base64url'), {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
  })
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

const storedPattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/

/** Hashes a password. NFKC makes different encodings of the same text equal, such as those of an accented letter. */
function deriveHash(password: string, salt: Buffer, { ln, r, p }: PasswordCost): Promise<Buffer> {
  const N = 2 ** ln
  return derive(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem: 129 * N * r + 1024 * r * p })
}
