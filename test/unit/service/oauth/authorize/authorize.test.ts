import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as administration from '../../../../../src/service/admin/administration.js'
import { addApplication } from '../../../../../src/service/oauth/applications.js'
import { sql } from '../../../../../src/service/storage/sql.js'
import { temporarySqlite, useDatabase } from '../../fixtures.js'
import { type Browser, redirectParameters } from '../browser.js'
import {
  createOAuthTestService,
  origin,
  password,
  redirectUri,
  useOAuthTestService,
} from '../test-service.js'

const database = useDatabase(temporarySqlite)
const service = useOAuthTestService(database)

const ada = 'ada@example.com'
const signIn = (browser: Browser, changes: Record<string, string | null> = {}) =>
  browser.signIn(service.authorization(changes), ada, password)
const markup = '<script>alert(1)</script>"\'&'

describe('an authorization', () => {
  it('shows the sign-in page, then the consent page, and redirects with a code, the state and the issuer', async () => {
    const browser = service.browser()
    const welcome = await browser.open(service.authorization())
    expect([welcome.status, welcome.text.includes('Sign in')]).toEqual([200, true])
    const signedIn = await browser.press(welcome, 'sign-in', { email: ` ${ada.toUpperCase()} `, password })
    expect(signedIn.status).toBe(303)
    expect(new URL(signedIn.location ?? '', origin).href).toBe(service.authorization())
    const consent = await browser.open(service.authorization())
    for (const words of ['Desktop', 'Ada L.', ada, 'View your time entries', 'Add, change and delete']) {
      expect(consent.text).toContain(words)
    }
    const allowed = await browser.press(consent, 'allow')
    expect(allowed.status).toBe(303)
    expect(allowed.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(allowed.headers.get('Cache-Control')).toBe('no-store')
    expect(allowed.location?.startsWith(`${redirectUri}?`)).toBe(true)
    expect(redirectParameters(allowed)).toEqual({
      code: expect.stringMatching(/^ttc_/),
      state: 'a state',
      iss: origin,
    })
  })

  it('shows only the requested scopes, and requires consent each time', async () => {
    const browser = service.browser()
    const consent = await signIn(browser, { scope: 'service:read' })
    expect(consent.text).not.toContain('Add, change and delete')
    await browser.press(consent, 'allow')
    expect((await browser.open(service.authorization())).text).toContain('Allow access?')
  })

  it('reports a denial to the application', async () => {
    const browser = service.browser()
    const denied = await browser.press(await signIn(browser), 'deny')
    expect(redirectParameters(denied)).toEqual({ error: 'access_denied', state: 'a state', iss: origin })
  })

  it('preserves the query of a redirect URI, and adds a state only if the request has one', async () => {
    const uri = 'https://app.example.com/back?kept=1'
    const browser = service.browser()
    const allowed = await browser.press(await signIn(browser, { redirect_uri: uri, state: null }), 'allow')
    expect(allowed.location?.startsWith(`${uri}&code=ttc_`)).toBe(true)
    expect(Object.keys(redirectParameters(allowed))).toEqual(['kept', 'code', 'iss'])
  })

  it.each([
    ['no client id', { client_id: null }, 'client_id is missing'],
    ['an unknown client id', { client_id: 'app_unknown' }, 'No application with this client_id'],
    ['a client id with a NUL', { client_id: 'a\0' }, 'No application with this client_id'],
    ['no redirect URI', { redirect_uri: null }, 'redirect_uri is missing'],
    ['a foreign redirect URI', { redirect_uri: 'https://evil.example/' }, 'not a registered redirect URI'],
    ['a script for a redirect URI', { redirect_uri: 'javascript:alert(1)' }, 'not a registered redirect URI'],
    ['markup for a redirect URI', { redirect_uri: markup }, '&lt;script&gt;'],
  ])('with %s shows an error page and redirects nowhere', async (_, changes, words) => {
    for (const method of ['GET', 'POST']) {
      const response = await service.send(new Request(service.authorization(changes), { method }))
      expect([response.status, response.headers.get('Location')]).toEqual([400, null])
      expect(response.headers.get('Content-Type')).toContain('text/html')
      const text = await response.text()
      expect(text).toContain(words)
      expect(text).not.toContain('<script')
    }
  })

  it('with a repeated redirect URI redirects nowhere', async () => {
    const url = `${service.authorization()}&redirect_uri=https%3A%2F%2Fevil.example`
    const response = await service.send(new Request(url))
    expect([response.status, response.headers.get('Location')]).toEqual([400, null])
  })

  it.each([
    ['no response type', { response_type: null }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['no PKCE method, which means plain', { code_challenge_method: null }, 'invalid_request'],
    ['the PKCE method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge that is no SHA-256', { code_challenge: 'short' }, 'invalid_request'],
    ['no scope', { scope: null }, 'invalid_scope'],
    ['an unknown scope', { scope: 'service:read admin' }, 'invalid_scope'],
  ])('with %s is rejected at the redirect URI', async (_, changes, error) => {
    const page = await service.browser().open(service.authorization(changes))
    expect([page.status, page.location?.startsWith(`${redirectUri}?`)]).toEqual([303, true])
    expect(redirectParameters(page)).toEqual({
      ...{ error, error_description: expect.any(String), state: 'a state', iss: origin },
    })
  })

  it.each(['state', 'scope', 'code_challenge'])(
    'with repeated %s is rejected at the redirect URI',
    async (name) => {
      const page = await service.browser().open(`${service.authorization()}&${name}=x`)
      expect(redirectParameters(page)).toMatchObject({ error: 'invalid_request', iss: origin })
    },
  )
})

describe('a page', () => {
  it('forbids framing, caching, external resources and scripts', async () => {
    const browser = service.browser()
    const welcome = await browser.open(service.authorization())
    const consent = await signIn(browser)
    const failure = await browser.open(service.authorization({ client_id: 'unknown' }))
    for (const { headers, text } of [welcome, consent, failure]) {
      expect(headers.get('X-Frame-Options')).toBe('DENY')
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Cache-Control')).toBe('no-store')
      const policy = headers.get('Content-Security-Policy') ?? ''
      const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}';`)
      expect(policy).toContain("frame-ancestors 'none'; base-uri 'none'")
      expect(policy).not.toContain('unsafe')
      expect(text).not.toMatch(/<script|\son\w+=|style=/)
    }
    expect(welcome.headers.get('Content-Security-Policy')).toContain("form-action 'self';")
    expect(consent.headers.get('Content-Security-Policy')).toContain(
      "form-action 'self' http://127.0.0.1:50123;",
    )
  })

  it('labels each field, sets its autocomplete, and announces errors', async () => {
    const browser = service.browser()
    const welcome = await browser.open(service.authorization())
    for (const field of ['email', 'password']) {
      expect(welcome.text).toMatch(new RegExp(`<label for="${field}">`))
      expect(welcome.text).toMatch(new RegExp(`<input id="${field}" name="${field}"`))
    }
    expect(welcome.text).toContain('autocomplete="username"')
    expect(welcome.text).toContain('autocomplete="current-password"')
    expect(welcome.text).not.toContain('role="alert"')
    const wrong = await browser.press(welcome, 'sign-in', { email: ada, password: 'wrong password' })
    expect(wrong.text).toMatch(/role="alert".*The email address or the password is wrong/s)
    expect(wrong.text).toContain(`value="${ada}"`)
    expect(wrong.text).not.toContain('wrong password')
  })

  it('escapes all inserted texts', async () => {
    await administration.updateCompany(service.storage, { name: markup })
    await service.storage.queries.all(sql`update users set name = ${markup}`)
    const { client_id } = await addApplication(service.storage, {
      ...{ name: markup, redirectUris: [redirectUri], clock: service.now },
    })
    const url = service.authorization({ client_id, state: markup })
    const browser = service.browser()
    const wrong = await browser.press(await browser.open(url), 'sign-in', { email: markup, password: markup })
    const consent = await browser.signIn(url, ada, password)
    for (const { text } of [wrong, consent]) {
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
      expect(text).not.toContain('<script')
      expect(text).not.toContain('alert(1)</script>"')
    }
    expect(redirectParameters(await browser.press(consent, 'allow')).state).toBe(markup)
  })
})

describe('a session', () => {
  it('has a cookie for this program only, which changes at sign-in', async () => {
    const browser = service.browser()
    const welcome = await browser.open(service.authorization())
    const before = browser.cookie
    const cookie = /^tt=[\w-]{43}; Path=\/oauth\/authorize; HttpOnly; SameSite=Lax$/
    expect(welcome.headers.get('Set-Cookie')).toMatch(cookie)
    await browser.press(welcome, 'sign-in', { email: ada, password })
    expect(browser.cookie).not.toBe(before)
    browser.cookie = before
    expect((await browser.open(service.authorization())).text).toContain('<h1>Sign in</h1>')
  })

  it('has a cookie for https that no other host can set', async () => {
    const secure = await createOAuthTestService(database.storage, { publicUrl: 'https://time.example.com' })
    const { headers } = await secure.browser().open(secure.authorization())
    const cookie = /^__Host-tt=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/
    expect(headers.get('Set-Cookie')).toMatch(cookie)
  })

  it.each([
    ['without a session', 'tt=planted'],
    ['that an attacker has set', `tt=${'A'.repeat(43)}`],
  ])('never starts with a cookie %s', async (_, planted) => {
    const browser = service.browser()
    browser.cookie = planted
    await signIn(browser)
    expect(browser.cookie).not.toBe(planted)
    const attacker = service.browser()
    attacker.cookie = planted
    expect((await attacker.open(service.authorization())).text).toContain('<h1>Sign in</h1>')
  })

  it('ends with a switch to another account, also for an open consent page', async () => {
    const browser = service.browser()
    const consent = await signIn(browser)
    const signedIn = browser.cookie
    expect((await browser.press(consent, 'switch')).status).toBe(303)
    expect((await browser.open(service.authorization())).text).toContain('<h1>Sign in</h1>')
    expect((await browser.press(consent, 'allow')).status).toBe(403)
    browser.cookie = signedIn
    const again = await browser.press(consent, 'allow')
    expect(new URL(again.location ?? '', origin).href).toBe(service.authorization())
  })
})

describe('a form', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['without its token', { form_token: '' }, {}],
    ['with the token of another browser', { form_token: 'f'.repeat(64) }, {}],
    ['sent by another site', {}, { 'Sec-Fetch-Site': 'cross-site' }],
    ['sent by another host of the same site', {}, { 'Sec-Fetch-Site': 'same-site' }],
    ['sent by another origin', {}, { Origin: 'https://evil.example' }],
    ['sent by the same host over another port', {}, { Origin: 'http://127.0.0.1:9999' }],
    ['with no button pressed', { action: 'other' }, {}],
  ])('%s does not give consent', async (_, fields, headers) => {
    const browser = service.browser()
    const consent = await signIn(browser)
    const page = await browser.press(consent, 'allow', fields, headers)
    expect([page.status, page.location]).toEqual([403, undefined])
    expect(page.text).toContain('Start again')
    expect(await service.storage.queries.all(sql`select * from grants`)).toEqual([])
  })

  it('without its token does not sign in', async () => {
    const browser = service.browser()
    const welcome = await browser.open(service.authorization())
    const before = browser.cookie
    const page = await browser.press(welcome, 'sign-in', { email: ada, password, form_token: '' })
    expect([page.status, page.location, browser.cookie]).toEqual([403, undefined, before])
  })

  it('is accepted from a browser that sends no origin', async () => {
    const browser = service.browser()
    const consent = await signIn(browser)
    const fields = new URLSearchParams({
      action: 'allow',
      form_token: /name="form_token" value="(\w+)"/.exec(consent.text)?.[1] ?? '',
    })
    const headers = { Cookie: browser.cookie ?? '' }
    const response = await service.send(
      new Request(service.authorization(), { method: 'POST', headers, body: fields }),
    )
    expect(response.headers.get('Location')).toContain('code=ttc_')
  })
})

it('reports internal errors to onError and hides them from the browser', async () => {
  await service.storage.queries.all(sql`alter table sessions rename to elsewhere`)
  const browser = service.browser()
  browser.cookie = `tt=${'A'.repeat(43)}`
  const page = await browser.open(service.authorization())
  await service.storage.queries.all(sql`alter table elsewhere rename to sessions`)
  expect([page.status, page.text.includes('The service failed.')]).toEqual([500, true])
  expect(page.text).not.toContain('sessions')
  expect(service.errors).toHaveLength(1)
})
