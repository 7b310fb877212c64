import { scrypt } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { hashPassword, verifyPassword } from '../../../../src/service/accounts/password-hash.js'

vi.mock(import('node:crypto'), async (importOriginal) => {
  const original = await importOriginal()
  return { ...original, scrypt: vi.fn(original.scrypt) as unknown as typeof original.scrypt }
})

it('hashPassword uses scrypt with a cost and a random salt', async () => {
  const [one, other] = [await hashPassword('correct horse'), await hashPassword('correct horse')]
  expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/)
  expect(one).not.toBe(other)
  expect([await verifyPassword('correct horse', one), await verifyPassword('correct horse', other)]).toEqual([
    true,
    true,
  ])
  for (const wrong of ['', 'Correct horse', 'correct horse ', 'x'.repeat(100_000)]) {
    expect(await verifyPassword(wrong, one)).toBe(false)
  }
})

it('verifyPassword accepts every Unicode form of the same characters', async () => {
  expect(await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait'))).toBe(true)
})

it.each([null, '', 'plain', '$scrypt$ln=4,r=1,p=1$c2FsdA$', '$scrypt$ln=4,r=1,p=1$c2FsdA$AAAA'])(
  'verifyPassword returns false for the stored hash %j',
  async (stored) => {
    const verify = (password: string) => verifyPassword(password, stored, { ln: 4, r: 1, p: 1 })
    expect([await verify(''), await verify('plain')]).toEqual([false, false])
  },
)

it.each([undefined, { ln: 5, r: 2, p: 1 }])(
  'verifyPassword does the same work with and without an account at the cost %j',
  async (cost) => {
    const stored = await hashPassword('correct horse', cost)
    const work = async (hash: string | null) => {
      vi.mocked(scrypt).mockClear()
      expect(await verifyPassword('wrong horse', hash, cost)).toBe(false)
      return vi.mocked(scrypt).mock.calls.map(([, , bytes, options]) => [bytes, options])
    }
    const [known, unknown] = [await work(stored), await work(null)]
    expect(unknown).toEqual(known)
    expect(known).toEqual([[32, expect.objectContaining({ N: cost ? 32 : 32_768 })]])
  },
)
