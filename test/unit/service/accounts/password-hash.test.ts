import { expect, it } from 'vitest'
import { hashPassword, verifyPassword } from '../../../../src/service/accounts/password-hash.js'

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
    expect([await verifyPassword('', stored), await verifyPassword('plain', stored)]).toEqual([false, false])
  },
)

it('verifyPassword takes the same time with and without an account', async () => {
  const stored = await hashPassword('correct horse')
  const time = async (hash: string | null) => {
    const began = performance.now()
    await verifyPassword('wrong horse', hash)
    return performance.now() - began
  }
  const best = async (hash: string | null) => Math.min(await time(hash), await time(hash), await time(hash))
  const [known, unknown] = [await best(stored), await best(null)]
  expect(unknown).toBeGreaterThan(known / 3)
  expect(unknown).toBeLessThan(known * 3)
})
