import { describe, expect, it } from 'vitest'
import { deactivateUser, unlinkUser } from '../../../../src/service/admin/administration.js'
import {
  createIdentityProvider,
  type IdentityProviderSettings,
  parseIssuer,
} from '../../../../src/service/oauth/identity-provider/identity-provider.js'
import { findLinkedUser } from '../../../../src/service/oauth/identity-provider/provider-sign-in.js'
import { ownerEmail } from '../../../../src/service/storage/schema.js'
import { insertInto, sql } from '../../../../src/service/storage/sql.js'
import {
  authorizeInBrowser,
  type ProviderOptions,
  startOidcProvider,
} from '../../../support/oidc-provider.js'
import { databases, useDatabase } from '../fixtures.js'
import { type Browser, redirectParameters } from './browser.js'
import { createOAuthTestService, type OAuthTestService, origin } from './test-service.js'

const callback = `${origin}/oauth/authorize/provider/callback`
type Claims = Record<string, unknown>
const verified = (email: string): Claims => ({ email, email_verified: true })

// Against a certified third-party OpenID Connect provider.
describe.each(databases)('sign-in with an OpenID Connect provider over %s', (_, open) => {
  const database = useDatabase(open)

  /** Starts a provider with the claims of each account, and a service that uses it. */
  async function setUp(
    claims: Record<string, Claims>,
    more: Omit<ProviderOptions, 'claims'> & Partial<IdentityProviderSettings> = {},
  ) {
    const provider = await startOidcProvider({
      redirectUri: callback.replace(':8320', ''),
      claims: (account) => claims[account] ?? {},
      ...more,
    })
    const settings: IdentityProviderSettings = {
      issuer: new URL(provider.origin),
      clientId: provider.client.id,
      clientSecret: more.authentication === 'none' ? undefined : provider.client.secret,
      name: 'Example ID',
      ...more,
    }
    const service = await createOAuthTestService(database.storage, {
      identityProvider: createIdentityProvider(settings),
    })
    return { provider, service }
  }

  /** Follows the link of the sign-in page, and returns the address to which the provider redirects. */
  async function returnFromProvider(browser: Browser, service: OAuthTestService, account = 'ada') {
    const page = await browser.open(service.authorization())
    const [, link = ''] = /<a class="button" href="([^"]+)">/.exec(page.text) ?? []
    const start = await browser.open(new URL(link.replaceAll('&amp;', '&'), origin).href)
    expect([start.status, start.headers.get('Cache-Control')]).toEqual([303, 'no-store'])
    return (await authorizeInBrowser(start.location ?? '', callback, account)).href
  }

  /** Signs in through the provider and returns the next page. */
  async function signIn(service: OAuthTestService, account = 'ada') {
    const browser = service.browser()
    const page = await browser.open(await returnFromProvider(browser, service, account))
    if (page.location === undefined) return { page, browser }
    expect(page.location).toMatch(/^\/oauth\/authorize\?/)
    return { page: await browser.open(new URL(page.location, origin).href), browser }
  }

  const eventsOf = async (service: OAuthTestService) =>
    (await service.auditRecords()).map(({ event, actor }) => [event, actor])

  it.each([
    ['client_secret_post', true],
    ['client_secret_basic', false],
    ['none', false],
  ] as const)(
    'signs in a user with a verified email address (%s)',
    { tags: 'slow' },
    async (authentication, hasClaimsInIdToken) => {
      const { service, provider } = await setUp(
        { ada: verified('ADA@example.com ') },
        { authentication, hasClaimsInIdToken },
      )
      const { page, browser } = await signIn(service)
      expect(page.text).toContain('Allow access?')
      expect(page.text).toContain('ada@example.com')
      const { code = '' } = redirectParameters(await browser.press(page, 'allow'))
      const tokens = await service.exchangeCode(code)
      expect(await service.apiStatus(tokens.access_token)).toBe(200)
      const records = await service.auditRecords()
      expect(records.map(({ event, actor, details }) => [event, actor, details]).slice(0, 2)).toEqual([
        ['identity_linked', 'ada@example.com', provider.origin],
        ['sign_in', 'ada@example.com', provider.origin],
      ])
      expect(service.errors).toEqual([])
    },
  )

  it('signs a linked user in after the email address has changed, and no other until the link is removed', async () => {
    const ada = verified('ada@example.com')
    const claims: Record<string, Claims> = { 'account-1': ada, 'account-2': ada }
    const { service } = await setUp(claims)
    await signIn(service, 'account-1')
    claims['account-1'] = { email: 'ada@new.example.com', email_verified: false }
    expect((await signIn(service, 'account-1')).page.text).toContain('Allow access?')
    const { page } = await signIn(service, 'account-2')
    expect(page.status).toBe(403)
    expect(page.text).toContain('belongs to another user of Example ID')
    const unlink = () => unlinkUser(service.storage, 'Ada@example.com')
    expect(await unlink()).toMatchObject({ email: 'ada@example.com', removed: 1 })
    expect((await signIn(service, 'account-2')).page.text).toContain('Allow access?')
    claims['account-1'] = ada
    expect((await signIn(service, 'account-1')).page.status).toBe(403)
    expect(await unlink()).toMatchObject({ removed: 1 })
    expect(await unlink()).toMatchObject({ removed: 0 })
    await expect(unlinkUser(service.storage, 'eve@example.com')).rejects.toThrow('eve@example.com')
  })

  it('finds a user by issuer and subject, not by one of them', async () => {
    await createOAuthTestService(database.storage)
    const find = (identity: { issuer?: string; subject?: string; email: string; emailVerified: boolean }) =>
      findLinkedUser(
        database.storage,
        { issuer: 'https://one.example', subject: '1', ...identity },
        { address: '127.0.0.1', now: 1 },
      )
    const linked = await find({ email: 'ada@example.com', emailVerified: true })
    expect(linked).toEqual({ userId: expect.any(Number) })
    const unverified = { email: 'eve@example.com', emailVerified: false }
    expect(await find(unverified)).toEqual(linked)
    expect(await find({ ...unverified, issuer: 'https://two.example' })).toBe('email-unverified')
    expect(await find({ ...unverified, subject: '2' })).toBe('email-unverified')
  })

  it.each<[string, Claims, string]>([
    ['no email address', {}, 'did not send an email address'],
    [
      'an unverified address',
      { email: 'ada@example.com' },
      'has not verified the email address ada@example.com',
    ],
    ['a text as verification', { email: 'ada@example.com', email_verified: 'true' }, 'has not verified'],
    ['an unknown address', verified('eve@example.com'), 'There is no account for eve@example.com'],
    ['the owner of a local workspace', verified(ownerEmail), `There is no account for ${ownerEmail}`],
  ])('rejects a sign-in with %s', async (_case, ada, text) => {
    const { service } = await setUp({ ada })
    await service.storage.queries.all(
      insertInto('users', { email: ownerEmail, name: 'You', active: 1, created_at: 0 }),
    )
    const { page, browser } = await signIn(service)
    expect([page.status, page.text]).toEqual([403, expect.stringContaining(text)])
    expect((await browser.open(service.authorization())).text).toContain('<h1>Sign in</h1>')
    const actor = ada.email_verified === true ? ada.email : null
    expect(await eventsOf(service)).toEqual([['sign_in_failed', actor]])
  })

  it('rejects a user whose account is inactive, linked or not', async () => {
    const { service } = await setUp({ ada: verified('ada@example.com') })
    await signIn(service)
    await deactivateUser(service.storage, 'ada@example.com', service.now)
    expect((await signIn(service)).page.text).toContain('Your account is inactive')
    await service.storage.queries.all(sql`delete from identities`)
    expect((await signIn(service)).page.text).toContain('Your account is inactive')
    expect(await service.storage.queries.all(sql`select * from identities`)).toEqual([])
  })

  it('links a user once when two browsers sign in at the same time', async () => {
    const { service } = await setUp({ ada: verified('ada@example.com') })
    const pages = await Promise.all([1, 2, 3].map(() => signIn(service)))
    for (const { page } of pages) expect(page.text).toContain('<h1>Allow access?</h1>')
    const links = (await eventsOf(service)).filter(([event]) => event === 'identity_linked')
    expect(links).toHaveLength(1)
  })

  it('rejects a response in another browser, a changed one, one that is late, and a second use', async () => {
    const { service } = await setUp({ ada: verified('ada@example.com') })
    const browser = service.browser()
    const response = await returnFromProvider(browser, service)
    const changed = new URL(response)
    changed.searchParams.set('state', `x${changed.searchParams.get('state')}`)
    const other = service.browser()
    await other.open(service.authorization())
    for (const [each, url] of [
      [service.browser(), response],
      [other, response],
      [browser, changed.href],
      [browser, callback],
    ] as const)
      expect((await each.open(url)).text).toContain('This sign-in has expired')
    expect((await browser.open(response)).status).toBe(303)
    expect((await browser.open(response)).text).toContain('This sign-in has expired')
    const late = service.browser()
    const lateResponse = await returnFromProvider(late, service)
    service.advanceClock(16 * 60_000)
    expect((await late.open(lateResponse)).text).toContain('This sign-in has expired')
    expect(service.errors).toEqual([])
  })

  it('reports what the provider reports, and stays signed out', async () => {
    const { service, provider } = await setUp({})
    const browser = service.browser()
    const response = new URL(await returnFromProvider(browser, service))
    const parameters = new URLSearchParams({
      ...{ error: 'access_denied', error_description: 'You are <not> allowed.' },
      ...{ state: response.searchParams.get('state') ?? '', iss: provider.origin },
    })
    const page = await browser.open(`${callback}?${parameters}`)
    expect(page.status).toBe(403)
    expect(page.text).toContain('Example ID reports: You are &lt;not&gt; allowed.')
    expect(page.text).toContain('href="/oauth/authorize?')
  })

  it.each([
    ['is not reachable', { issuer: new URL('http://127.0.0.1:9') }, 'start'],
    ['does not know the client', { clientSecret: 'wrong' }, 'return'],
  ] as const)(
    'says that the sign-in is not available when the provider %s, and reports the error',
    async (_case, settings, step) => {
      const { service } = await setUp({ ada: verified('ada@example.com') }, settings)
      const browser = service.browser()
      const url =
        step === 'start'
          ? service.authorization().replace('/oauth/authorize', '/oauth/authorize/provider')
          : await returnFromProvider(browser, service)
      const page = await browser.open(url)
      expect(page.status).toBe(502)
      expect(page.text).toContain('The sign-in with Example ID is not available at the moment.')
      expect(service.errors).toHaveLength(1)
    },
  )

  it('has no such sign-in without a provider', async () => {
    const service = await createOAuthTestService(database.storage)
    expect((await service.browser().open(service.authorization())).text).not.toContain('Sign in with')
    expect((await service.browser().open(`${origin}/oauth/authorize/provider?a=b`)).status).toBe(404)
    expect((await service.browser().open(callback)).status).toBe(404)
  })
})

it.each([
  'http://login.example.com',
  'https://a@login.example.com',
  'https://login.example.com?x=1',
  'login',
])('rejects the issuer "%s"', (text) => {
  expect(() => parseIssuer(text, '--oidc-issuer')).toThrow('--oidc-issuer: ')
})

it.each(['https://login.example.com/tenant', 'http://127.0.0.1:5000', 'http://[::1]:5000'])(
  'accepts the issuer "%s"',
  (text) => {
    expect(parseIssuer(text, '--oidc-issuer').href).toContain(text)
  },
)
