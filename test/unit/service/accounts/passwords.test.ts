import * as crypto from 'node:crypto'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import {
  checkPassword,
  hashPassword,
  setPassword,
  verifyPassword,
} from '../../../../src/service/accounts/passwords.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { clock, createServiceFixture, temporarySqlite, useDatabase } from '../fixtures.js'
import { passwordCost } from '../oauth/test-service.js'

const database = useDatabase(temporarySqlite)
beforeAll(async () => {
  await createServiceFixture(database.storage)
})

it('setPassword accepts 10 to 1024 characters for existing users', { tags: 'slow' }, async () => {
  const set = (password: string, email = 'a@example.org') =>
    setPassword(database.storage, { email, password, clock, cost: passwordCost })
  for (const password of ['', '123456 89', '😀😀😀😀😀', 'x'.repeat(1025)]) {
    await expect(set(password)).rejects.toMatchObject({ code: 'usage' })
  }
  await expect(set('a long enough one', 'unknown@example.org')).rejects.toMatchObject({ code: 'not_found' })
  await set('lorem ipsu', 'A@example.org')
  await set('x'.repeat(1024), 'b@example.org')
  const storedPasswords = async () => {
    const users = await database.storage.queries.all<{ password: string }>(
      sql`select * from users order by id`,
    )
    return users.map(({ password }) => password)
  }
  const [first = '', second = ''] = await storedPasswords()
  expect(await verifyPassword('lorem ipsu', first)).toBe(true)
  expect(await verifyPassword('x'.repeat(1024), second)).toBe(true)
  expect(first).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$/)
  const strong = 'at the default cost'
  await setPassword(database.storage, { email: 'a@example.org', password: strong, clock })
  const [full = ''] = await storedPasswords()
  expect(full).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w-]{22}\$[\w-]{43}$/)
  expect(await verifyPassword(strong, full)).toBe(true)
  expect(Object.keys((await administration.listUsers(database.storage))[0] ?? {})).not.toContain('password')
})

it.each([
  ['QWERTYUIOP', 'one of the most common'],
  ['ｑｗｅｒｔｙｕｉｏｐ', 'one of the most common'],
  [' 1q2w3e4r5t ', 'one of the most common'],
  ['adalovelace', 'the email address or its name'],
  ['2024-AdaLovelace!', 'the email address or its name'],
  ['ada.lovelace@example.org', 'the email address or its name'],
  ['adalovelaceexampleorg99', 'the email address or its name'],
])('checkPassword rejects %j', async (weak, message) => {
  await expect(checkPassword(weak, 'Ada.Lovelace@example.org')).rejects.toMatchObject({
    ...{ code: 'usage', message: expect.stringContaining(message) },
  })
})

it.each(['correct horse battery', 'adalovelacewashere', '8305716294013', '密碼密碼密碼密碼密碼'])(
  'checkPassword accepts %j',
  async (strong) => {
    await checkPassword(strong, 'Ada.Lovelace@example.org')
    await checkPassword(strong, '1234@example.org')
  },
)

it('hashPassword uses a random salt', async () => {
  const one = await hashPassword('correct horse', passwordCost)
  const other = await hashPassword('correct horse', passwordCost)
  expect(one).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$[\w-]{22}\$[\w-]{43}$/)
  expect(one).not.toBe(other)
  for (const stored of [one, other]) expect(await verifyPassword('correct horse', stored)).toBe(true)
  for (const wrong of ['', 'Correct horse', 'correct horse ', 'x'.repeat(100_000)]) {
    expect(await verifyPassword(wrong, one, passwordCost)).toBe(false)
  }
})

it('verifyPassword accepts every Unicode form of the same characters', async () => {
  const stored = await hashPassword('caf\u00e9 au lait', passwordCost)
  expect(await verifyPassword('cafe\u0301 au lait', stored)).toBe(true)
})

it.each([null, '', 'plain', '$scrypt$ln=4,r=1,p=1$c2FsdA$', '$scrypt$ln=4,r=1,p=1$c2FsdA$AAAA'])(
  'verifyPassword returns false for the stored hash %j',
  async (stored) => {
    const verify = (password: string) => verifyPassword(password, stored, passwordCost)
    expect([await verify(''), await verify('plain')]).toEqual([false, false])
  },
)

it.each([undefined, { ln: 5, r: 2, p: 1 }])(
  'verifyPassword does the same work with and without an account at the cost %j',
  async (cost) => {
    // Records the cost, and computes with a lower one.
    const countedScrypt = vi.fn(
      (...[password, salt, bytes, options, done]: Parameters<typeof crypto.scrypt>) =>
        crypto.scrypt(password, salt, bytes, { ...options, N: 2 }, done),
    )
    vi.doMock('node:crypto', () => ({ ...crypto, scrypt: countedScrypt }))
    onTestFinished(() => void vi.doUnmock('node:crypto'))
    // Each query loads the module again. `vi.resetModules` would make this worker load every module again.
    const path = `../../../../src/service/accounts/passwords.js?ln=${cost?.ln}`
    const module: typeof import('../../../../src/service/accounts/passwords.js') = await import(path)
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
