import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

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
export const maxPasswordLength = 1024

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
