import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyPassword } from '../../../../src/service/accounts/password-hash.js'
import { checkPassword, setPassword } from '../../../../src/service/accounts/passwords.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { clock, createServiceFixture, type Database, temporarySqlite } from '../fixtures.js'
import { passwordCost } from '../oauth/test-service.js'

let database: Database
beforeAll(async () => {
  database = await temporarySqlite()
  await createServiceFixture(database.storage)
})
afterAll(() => database.close())

it('setPassword accepts 10 to 1024 characters for existing users', async () => {
  const set = (password: string, email = 'a@example.org') =>
    setPassword(database.storage, { email, password, clock, cost: passwordCost })
  for (const password of ['', '123456 89', '😀😀😀😀😀', 'x'.repeat(1025)]) {
    await expect(set(password)).rejects.toMatchObject({ code: 'usage' })
  }
  await expect(set('a long enough one', 'unknown@example.org')).rejects.toMatchObject({ code: 'not_found' })
  await set('lorem ipsu', 'A@example.org')
  await set('x'.repeat(1024), 'b@example.org')
  const users = await database.storage.queries.all<{ password: string | null }>(
    sql`select password from users order by id`,
  )
  expect(await verifyPassword('lorem ipsu', users[0]?.password ?? null)).toBe(true)
  expect(await verifyPassword('x'.repeat(1024), users[1]?.password ?? null)).toBe(true)
  expect(users[0]?.password).toMatch(/^\$scrypt\$ln=4,r=1,p=1\$/)
  await setPassword(database.storage, { email: 'a@example.org', password: 'at the default cost', clock })
  const [user] = await database.storage.queries.all<{ password: string }>(
    sql`select password from users order by id`,
  )
  expect(user?.password).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/)
  expect(Object.keys((await administration.listUsers(database.storage))[0] ?? {})).not.toContain('password')
})

it.each([
  ['1234567890', 'one of the most common'],
  ['QWERTYUIOP', 'one of the most common'],
  ['ｑｗｅｒｔｙｕｉｏｐ', 'one of the most common'],
  [' 1q2w3e4r5t ', 'one of the most common'],
  ['adalovelace', 'the email address or its name'],
  ['Ada.Lovelace1815', 'the email address or its name'],
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
