import { afterAll, beforeAll, expect, it } from 'vitest'
import { hashPassword, setPassword, verifyPassword } from '../../../../src/service/accounts/passwords.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { createServiceFixture, type Database, temporarySqlite } from '../fixtures.js'

let database: Database
beforeAll(async () => {
  database = await temporarySqlite()
  await createServiceFixture(database.storage)
})
afterAll(() => database.close())

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

it('setPassword accepts 8 to 1024 characters for existing users', async () => {
  const set = (password: string, email = 'a@example.org') => setPassword(database.storage, email, password)
  for (const password of ['', '1234567', '😀😀😀😀', 'x'.repeat(1025)]) {
    await expect(set(password)).rejects.toMatchObject({ code: 'usage' })
  }
  await expect(set('12345678', 'unknown@example.org')).rejects.toMatchObject({ code: 'not_found' })
  await set('12345678', 'A@example.org')
  await set('x'.repeat(1024), 'b@example.org')
  const users = await database.storage.db.selectFrom('users').select('password').orderBy('id').execute()
  expect(await verifyPassword('12345678', users[0]?.password ?? null)).toBe(true)
  expect(await verifyPassword('x'.repeat(1024), users[1]?.password ?? null)).toBe(true)
  expect(Object.keys((await administration.listUsers(database.storage))[0] ?? {})).not.toContain('password')
})
