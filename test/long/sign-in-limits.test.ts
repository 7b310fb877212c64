import { beforeEach, describe, expect, it } from 'vitest'
import { blockedSeconds, recordFailure, recordSuccess } from '../../src/service/accounts/sign-in-limits.js'
import * as administration from '../../src/service/admin/administration.js'
import { parseTrustedProxies, type TrustedProxies } from '../../src/service/http/client-address.js'
import { sql } from '../../src/service/storage/sql.js'
import type { Storage } from '../../src/service/storage/storage.js'
import { databases, now as start, useDatabase } from '../unit/service/fixtures.js'
import {
  createOAuthTestService,
  type OAuthTestService,
  password,
} from '../unit/service/oauth/test-service.js'

const minute = 60_000
const ada = 'ada@example.com'

describe.each(databases)('sign-in attempts over %s', (_, open) => {
  const database = useDatabase(open)
  let storage: Storage
  let service: OAuthTestService
  beforeEach(async () => {
    storage = database.storage
    service = await createOAuthTestService(storage)
  })

  const now = start.getTime()
  const attempt = (email = ada, address = '192.0.2.1', at = now) =>
    recordFailure(storage, { email, address }, at)
  const success = (email = ada, address = '192.0.2.1') => recordSuccess(storage, { email, address }, now)
  const times = async (count: number, one: (index: number) => Promise<number>) => {
    const waits: number[] = []
    for (let index = 0; index < count; index++) waits.push(await one(index))
    return waits
  }

  it('are limited to five in 15 minutes from one address at one account', async () => {
    expect(await times(7, () => attempt())).toEqual([0, 0, 0, 0, 0, 900, 900])
    expect(await attempt(ada, '192.0.2.1', now + 15 * minute - 1)).toBe(1)
    expect(await attempt(ada, '192.0.2.1', now + 15 * minute)).toBe(0)
    expect(await attempt(ada, '192.0.2.2')).toBe(0)
    expect(await attempt('bob@example.com')).toBe(0)
  })

  it('are blocked longer each time, up to four hours, until a day passes without attempts', async () => {
    const waits: number[] = []
    let at = now
    for (let block = 0; block < 7; block++) {
      await times(5, () => attempt(ada, '192.0.2.1', at))
      const wait = await attempt(ada, '192.0.2.1', at)
      waits.push(wait / 60)
      at += wait * 1000
    }
    expect(waits).toEqual([15, 30, 60, 120, 240, 240, 240])
    at += 24 * 60 * minute
    await times(5, () => attempt(ada, '192.0.2.1', at))
    expect(await attempt(ada, '192.0.2.1', at)).toBe(900)
  })

  it('are limited to thirty from one address at all accounts', async () => {
    const waits = await times(31, (index) => attempt(`user${index}@example.com`))
    expect(waits.filter((wait) => wait > 0)).toEqual([900])
    expect(await attempt(ada, '192.0.2.2')).toBe(0)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:0db8:1:2:ffff::9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ])('from %s and %s count for the same network: %s', async (one, other, same) => {
    await times(5, () => attempt(ada, one))
    expect((await attempt(ada, other)) > 0).toBe(same)
  })

  it('are limited to sixty from everywhere at one account, except from networks where the user has signed in', async () => {
    await success(ada, '198.51.100.1')
    const waits = await times(61, (index) => attempt(ada, `192.0.2.${index}`))
    expect(waits.filter((wait) => wait > 0)).toEqual([900])
    expect(await attempt(ada, '203.0.113.1')).toBe(900)
    expect(await attempt(ada, '198.51.100.1')).toBe(0)
    expect(await attempt('bob@example.com', '203.0.113.1')).toBe(0)
  })

  it('at an account are removed from its count by a correct password, unlike others of the address', async () => {
    await times(29, (index) => attempt(`user${index}@example.com`))
    for (const _ of [1, 2, 3]) {
      expect(await blockedSeconds(storage, { email: ada, address: '192.0.2.1' }, now)).toBe(0)
      expect(await success()).toBe(0)
    }
    expect(await attempt('eve@example.com')).toBe(0)
    expect(await attempt('eve@example.com')).toBe(900)
  })

  it('are exempt from the limit of the address where the user has signed in before', async () => {
    await success()
    await times(30, (index) => attempt(`user${index}@example.com`))
    expect(await attempt('eve@example.com')).toBe(900)
    expect(await attempt()).toBe(0)
    expect(await success()).toBe(0)
    expect(await success('bob@example.com')).toBe(900)
    expect(await times(6, () => attempt())).toEqual([0, 0, 0, 0, 0, 900])
    expect(await success()).toBe(900)
    const later = now + 30 * 24 * 60 * minute
    await times(30, (index) => attempt(`user${index}@example.com`, '192.0.2.1', later))
    expect(await attempt(ada, '192.0.2.1', later)).toBeGreaterThan(0)
  })

  it('are recorded one after the other: of twenty parallel ones, five learn their outcome', async () => {
    const waits = await Promise.all(Array.from({ length: 20 }, () => attempt()))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
  })

  it('are stored without network and email addresses', async () => {
    await attempt()
    const stored = JSON.stringify(await storage.queries.all(sql`select * from sign_in_attempts`))
    expect(stored).not.toContain('ada')
    expect(stored).not.toContain('192.0.2')
  })

  describe('on the pages', () => {
    it('are rejected during a block with the time to wait, even with the correct password', async () => {
      const browser = service.browser()
      const welcome = await browser.open(service.authorization())
      const wrong = { email: ada, password: 'wrong' }
      for (const _ of [1, 2, 3, 4, 5]) {
        expect((await browser.press(welcome, 'sign-in', wrong)).text).toContain('is wrong')
      }
      const blocked = await browser.press(welcome, 'sign-in', { email: ada, password })
      expect([blocked.status, blocked.headers.get('Retry-After')]).toEqual([429, '900'])
      expect(blocked.text).toContain('Try again in 15 minutes')
      expect(blocked.text).toContain('role="alert"')
      const otherBrowser = service.browser({ remoteAddress: '192.0.2.7', localAddress: '127.0.0.1' })
      expect((await otherBrowser.signIn(service.authorization(), ada, password)).text).toContain(
        'Allow access?',
      )
      service.advanceClock(15 * minute)
      expect((await browser.press(welcome, 'sign-in', { email: ada, password })).status).toBe(303)
    })

    it('get the same responses for an unknown account', async () => {
      const browser = service.browser()
      const welcome = await browser.open(service.authorization())
      const unknownUser = { email: 'unknown@example.com', password: 'wrong' }
      const first = await browser.press(welcome, 'sign-in', unknownUser)
      const known = await browser.press(welcome, 'sign-in', { ...unknownUser, email: ada })
      expect(first.text.replaceAll(unknownUser.email, ada)).toBe(known.text)
      for (const _ of [1, 2, 3, 4]) await browser.press(welcome, 'sign-in', unknownUser)
      expect((await browser.press(welcome, 'sign-in', unknownUser)).status).toBe(429)
    })

    it('count for the last client address that a trusted proxy adds', async () => {
      const proxied = async (trustedProxies: TrustedProxies | undefined) => {
        service = await createOAuthTestService(storage, {
          trustedProxies,
          publicUrl: 'https://time.example.com',
        })
        const browser = service.browser()
        const welcome = await browser.open(service.authorization())
        const press = (forwarded: string) =>
          browser.press(
            welcome,
            'sign-in',
            { email: ada, password: 'wrong' },
            { 'X-Forwarded-For': forwarded },
          )
        for (const spoofed of [1, 2, 3, 4, 5]) await press(`10.0.0.${spoofed}, 192.0.2.1`)
        return [(await press('10.0.0.9, 192.0.2.1')).status, (await press('10.0.0.9, 192.0.2.2')).status]
      }
      expect(await proxied(parseTrustedProxies('1'))).toEqual([429, 200])
      expect(await proxied(undefined)).toEqual([429, 429])
    })
  })

  describe('for a legacy key', () => {
    it('issue a key with full access and no expiry that ends with the user', async () => {
      const response = await service.requestKey()
      expect(response.status).toBe(200)
      const body = (await response.json()) as { api_key: string }
      expect(Object.keys(body)).toEqual(['api_key'])
      service.advanceClock(1000 * 24 * 60 * minute)
      expect([
        await service.apiStatus(body.api_key),
        await service.apiStatus(body.api_key, 'DELETE'),
      ]).toEqual([200, 404])
      expect(JSON.stringify(await storage.queries.all(sql`select * from tokens`))).not.toContain(body.api_key)
      await administration.deactivateUser(storage, ada, service.now)
      expect(await service.apiStatus(body.api_key)).toBe(401)
    })

    it('issue no key for a wrong password, an unknown user or a user without a password', async () => {
      await administration.addUser(storage, { email: 'idp@example.com', name: 'Idp', clock: service.now })
      for (const email of [ada, 'unknown@example.com', 'idp@example.com', 'a\0b', 'x'.repeat(5000)]) {
        for (const wrong of ['wrong', 'x'.repeat(5000)]) {
          const response = await service.requestKey({ email, password: wrong })
          expect([response.status, response.headers.get('Cache-Control')]).toEqual([401, 'no-store'])
          expect(await response.json()).toMatchObject({ error: 'invalid_credentials' })
        }
      }
    })

    it('issue keys to sixty users of one address at the same time', async () => {
      const [user] = await storage.queries.all<{ password: string }>(sql`select password from users`)
      const emails = Array.from({ length: 60 }, (_, index) => `user${index}@example.com`)
      for (const email of emails)
        await administration.addUser(storage, { email, name: 'User', clock: service.now })
      await storage.queries.all(sql`update users set password = ${user?.password}`)
      const responses = await Promise.all(emails.map((email) => service.requestKey({ email })))
      expect(responses.map(({ status }) => status)).toEqual(Array(60).fill(200))
    })

    it('reject all but five of many parallel guesses unseen', async () => {
      const guesses = Array.from({ length: 40 }, () => service.requestKey({ password: 'wrong' }))
      const statuses = (await Promise.all(guesses)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 401)).toHaveLength(5)
      expect(statuses.filter((status) => status === 429)).toHaveLength(35)
      const blocked = await service.requestKey()
      expect([blocked.status, blocked.headers.get('Retry-After')]).toEqual([429, '900'])
      expect(await blocked.json()).toMatchObject({ error: 'too_many_attempts' })
    })

    it.each([
      [{ email: '' }, 'email'],
      [{ password: '' }, 'password'],
      [{ application: '' }, 'application'],
      [{ application: 'a\nb' }, 'application'],
    ])('require every field: %j', async (fields, name) => {
      const response = await service.requestKey(fields)
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({
        error: 'invalid',
        errors: { [name]: [expect.any(String)] },
      })
    })

    it('require a form and POST', async () => {
      const url = 'http://127.0.0.1:8320/api/v1/authenticate'
      expect((await service.send(new Request(url))).status).toBe(405)
      const json = new Request(url, { method: 'POST', body: '{}' })
      expect((await service.send(json)).status).toBe(415)
    })
  })
})
