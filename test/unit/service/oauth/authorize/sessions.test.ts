import { beforeEach, describe, expect, it } from 'vitest'
import { deactivateUser } from '../../../../../src/service/admin/administration.js'
import {
  findBrowserSession,
  isSessionOpen,
  signIn,
} from '../../../../../src/service/oauth/authorize/sessions.js'
import { issueAuthorizationCode } from '../../../../../src/service/oauth/grants/grants.js'
import type { OAuthRequestContext } from '../../../../../src/service/oauth/oauth-request-context.js'
import { identifier, sql } from '../../../../../src/service/storage/sql.js'
import { databases, useDatabase } from '../../fixtures.js'
import { challenge, createOAuthTestService, origin, redirectUri } from '../test-service.js'

const hourMs = 3_600_000
const secretOf = (cookie: string | undefined) => /^tt=([\w-]{43});/.exec(cookie ?? '')?.[1] ?? ''

describe.each(databases)('browser sessions over %s', (_, open) => {
  const database = useDatabase(open)
  let context: OAuthRequestContext
  let userId: number
  beforeEach(async () => {
    const { storage } = await createOAuthTestService(database.storage)
    context = {
      ...{ storage, issuer: origin, url: new URL(origin), request: new Request(origin) },
      ...{ address: '127.0.0.1', now: 1000, passwordCost: undefined, identityProvider: undefined },
      ...{ onSignIn: undefined, reportError: () => {} },
    }
    userId = (await rowsOf('users'))[0]?.id ?? 0
  })

  const rowsOf = (table: string) =>
    database.storage.queries.all<{ id: number }>(sql`select * from ${identifier(table)}`)
  const start = async (secret = 'x'.repeat(43)) =>
    secretOf(await signIn(context, { secret, user: undefined }, { userId }))
  const isOpen = (secret: string, now = context.now) =>
    isSessionOpen(database.storage.queries, { secret, user: undefined }, now)
  const findSession = (secret: string, now = context.now) => {
    const request = new Request(origin, { headers: { Cookie: `tt=${secret}` } })
    return findBrowserSession({ ...context, request, now })
  }

  it('have another secret after each sign-in, and the previous session ends', async () => {
    const first = await start()
    expect([first.length, await isOpen(first)]).toEqual([43, true])
    const second = await start(first)
    expect(second).not.toBe(first)
    expect([await isOpen(first), await isOpen(second)]).toEqual([false, true])
  })

  it('end after 12 hours', async () => {
    const secret = await start()
    expect(await isOpen(secret, context.now + 12 * hourMs - 1)).toBe(true)
    expect(await isOpen(secret, context.now + 12 * hourMs)).toBe(false)
    expect((await findSession(secret, context.now + 12 * hourMs - 1)).user?.id).toBe(userId)
    expect((await findSession(secret, context.now + 12 * hourMs)).user).toBeUndefined()
  })

  it('do not begin for an inactive user', async () => {
    await deactivateUser(context.storage, 'ada@example.com', () => new Date())
    expect(await signIn(context, { secret: 'x', user: undefined }, { userId })).toBeUndefined()
    expect(await rowsOf('sessions')).toEqual([])
  })

  it('have no user while the user is inactive', async () => {
    const secret = await start()
    expect((await findSession(secret)).user?.id).toBe(userId)
    await database.storage.queries.all(sql`update users set active = 0`)
    expect((await findSession(secret)).user).toBeUndefined()
  })

  it('that end during the consent lead to no code and no grant', async () => {
    const applicationId = (await rowsOf('applications'))[0]?.id ?? 0
    const issue = (isSignedIn: boolean) =>
      issueAuthorizationCode(database.storage, {
        ...{ applicationId, applicationName: 'Desktop', address: '127.0.0.1', userId, redirectUri },
        ...{ scopes: ['service:read'], codeChallenge: challenge, now: 1000 },
        isSignedIn: async () => isSignedIn,
      })
    expect(await issue(false)).toBeUndefined()
    expect(await rowsOf('grants')).toEqual([])
    expect(await issue(true)).toMatch(/^ttc_/)
  })
})
