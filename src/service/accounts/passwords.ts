import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { TtError } from '../../lib/errors.js'
import { findUserId, toUser, type User, userColumns } from '../admin/users.js'
import type { Storage } from '../storage/storage.js'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** One of the settings that OWASP holds equal, at 32 MiB: N = 2^15, r = 8, p = 3. */
const cost = { ln: 15, r: 8, p: 3 }
const hashBytes = 32
const shortest = 8
/** More is no password, but work for the machine. */
const longest = 1024

/** Sets the password of a user and signs their browsers out. Throws TtError `usage` for one that is too short, `not_found`. */
export async function setPassword(storage: Storage, email: string, password: string): Promise<User> {
  checkPassword(password)
  const id = await findUserId(storage, email)
  const hash = await hashPassword(password)
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

/** Throws TtError `usage` for a password that is too short, or longer than anybody can type. */
export function checkPassword(password: string): void {
  const length = [...password].length
  if (length >= shortest && length <= longest) return
  throw new TtError('usage', `A password has ${shortest} to ${longest} characters, not ${length}.`, {
    hint: 'Choose another one: a few words that nobody would guess.',
  })
}

/** The password as it is stored: scrypt (RFC 7914) with its cost and salt, `$scrypt$ln=15,r=8,p=3$SALT$HASH`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derived(password, salt, cost)
  const { ln, r, p } = cost
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/**
 * Whether it is the password that was stored, in the same time whatever the answer. Without a stored one the answer
 * is no, after the same work: how long it takes tells nobody who has an account.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = storedPattern.exec(stored ?? '') ?? []
  if (ln === undefined || password.length > 2 * longest) {
    await derived('', randomBytes(16), cost)
    return false
  }
  const known = Buffer.from(hash, 'base64url')
  const given = await derived(password, Buffer.from(salt, 'base64url'), {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
  })
  return known.length === given.length && timingSafeEqual(known, given)
}

const storedPattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/

/** One password can be typed as several sequences of characters (an accent, say): NFKC makes them one. */
function derived(password: string, salt: Buffer, { ln, r, p }: typeof cost): Promise<Buffer> {
  const N = 2 ** ln
  return derive(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem: 129 * N * r + 1024 * r * p })
}
