import * as crypto from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { hashPassword, verifyPassword } from '../../../../src/service/accounts/password-hash.js'

type ScryptWithOptions = (
  password: crypto.BinaryLike,
  salt: crypto.BinaryLike,
  bytes: number,
  options: crypto.ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void

const lowCost = { ln: 4, r: 1, p: 1 }

it('hashPassword uses scrypt with the full cost by default', async () => {
  const stored = await hashPassword('correct horse')
  expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/)
  expect(await verifyPassword('correct horse', stored)).toBe(true)
})

it('hashPassword uses a random salt', async () => {
  const [one, other] = [
    await hashPassword('correct horse', lowCost),
    await hashPassword('correct horse', lowCost),
  ]
  expect(one).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$[\w-]{22}\$[\w-]{43}$/)
  expect(one).not.toBe(other)
  expect([await verifyPassword('correct horse', one), await verifyPassword('correct horse', other)]).toEqual([
    true,
    true,
  ])
  for (const wrong of ['', 'Correct horse', 'correct horse ', 'x'.repeat(100_000)]) {
    expect(await verifyPassword(wrong, one, lowCost)).toBe(false)
  }
})

it('verifyPassword accepts every Unicode form of the same characters', async () => {
  const stored = await hashPassword('caf\u00e9 au lait', lowCost)
  expect(await verifyPassword('cafe\u0301 au lait', stored)).toBe(true)
})

it.each([null, '', 'plain', '$scrypt$ln=4,r=1,p=1$c2FsdA$', '$scrypt$ln=4,r=1,p=1$c2FsdA$AAAA'])(
  'verifyPassword returns false for the stored hash %j',
  async (stored) => {
    const verify = (password: string) => verifyPassword(password, stored, lowCost)
    expect([await verify(''), await verify('plain')]).toEqual([false, false])
  },
)

it.each([undefined, { ln: 5, r: 2, p: 1 }])(
  'verifyPassword does the same work with and without an account at the cost %j',
  async (cost) => {
    // Records the cost, and computes with a lower one.
    const countedScrypt = vi.fn(((password, salt, bytes, options, done) =>
      crypto.scrypt(password, salt, bytes, { ...options, N: 2 }, done)) as ScryptWithOptions)
    vi.doMock('node:crypto', () => ({ ...crypto, scrypt: countedScrypt }))
    onTestFinished(() => void vi.doUnmock('node:crypto'))
    // Each query loads the module again. `vi.resetModules` would make this worker load every module again.
    const path = `../../../../src/service/accounts/password-hash.js?ln=${cost?.ln}`
    const module: typeof import('../../../../src/service/accounts/password-hash.js') = await import(path)
    const stored = await module.hashPassword('correct horse', cost)
    const work = async (hash: string | null) => {
      countedScrypt.mockClear()
      expect(await module.verifyPassword('wrong horse', hash, cost)).toBe(false)
      return countedScrypt.mock.calls.map(([, , bytes, options]) => [bytes, options])
    }
    const [known, unknown] = [await work(stored), await work(null)]
    expect(unknown).toEqual(known)
    expect(known).toEqual([[32, expect.objectContaining({ N: cost ? 32 : 32_768 })]])
  },
)
