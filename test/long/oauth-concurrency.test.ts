import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { openStorage } from '../../src/service/storage/storage.js'
import { createSharedDatabase, findPostgresPrograms } from '../support/postgres.js'
import { sharedDirectory } from '../unit/service/fixtures.js'
import { createOAuthTestService, type OAuthTestService } from '../unit/service/oauth/test-service.js'

async function sqliteFile(): Promise<string> {
  const directory = await sharedDirectory()
  onTestFinished(directory.remove)
  return `sqlite:${directory.path}/service.sqlite`
}

async function postgresDatabase(): Promise<string> {
  const { url, drop } = await createSharedDatabase()
  onTestFinished(drop)
  return url
}

const places: [string, () => Promise<string>][] = [
  ['SQLite', sqliteFile],
  ['PostgreSQL', postgresDatabase],
]

describe.each(places)('nodes that share one %s', (kind, place) => {
  async function nodes({ skip }: TestContext): Promise<[OAuthTestService, OAuthTestService]> {
    skip(kind === 'PostgreSQL' && findPostgresPrograms() === undefined, 'no PostgreSQL server is installed')
    const location = await place()
    const one = await openStorage(location)
    // Two connections of one process to a SQLite file would block each other forever, because waiting stops both.
    const two = kind === 'SQLite' ? one : await openStorage(location)
    onTestFinished(async () => {
      for (const storage of new Set([one, two])) await storage.close()
    })
    const service = await createOAuthTestService(one)
    return [service, await createOAuthTestService(two, {}, service.client)]
  }

  it('keep one working pair of tokens after parallel refreshes', async (context) => {
    const [service, otherNode] = await nodes(context)
    for (let round = 0; round < 5; round++) {
      const { refresh_token } = await service.exchangeCode(await service.authorizationCode())
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (index % 2 ? service : otherNode).refresh(refresh_token)),
      )
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
      const statuses: number[] = []
      for (const { access_token } of all) statuses.push(await service.apiStatus(access_token))
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    }
  })

  it('decide whether a use or a second refresh came first', async (context) => {
    const [service, otherNode] = await nodes(context)
    for (let round = 0; round < 10; round++) {
      const first = await service.exchangeCode(await service.authorizationCode())
      const second = await service.refresh(first.refresh_token)
      const [used, again] = await Promise.all([
        service.apiStatus(second.access_token),
        otherNode.refresh(first.refresh_token),
      ])
      // If the use comes first, the second refresh is reuse and ends the family. Otherwise the use is rejected.
      expect([
        [200, 400],
        [401, 200],
      ]).toContainEqual([used, again.status])
      expect(await service.apiStatus(again.access_token ?? 'none')).toBe(again.status === 200 ? 200 : 401)
    }
  })

  it('count attempts together', async (context) => {
    const [service, otherNode] = await nodes(context)
    const welcomes = [service, otherNode].map(async (node) => {
      const browser = node.browser()
      const page = await browser.open(node.authorization())
      return () => browser.press(page, 'sign-in', { email: 'ada@example.com', password: 'wrong' })
    })
    const [press, pressThere] = await Promise.all(welcomes)
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 ? press : pressThere)?.()),
    )
    expect(all.filter((page) => page?.status === 200)).toHaveLength(5)
    expect(all.filter((page) => page?.status === 429)).toHaveLength(7)
  })

  it('redeem a code once', async (context) => {
    const [service, otherNode] = await nodes(context)
    const code = await service.authorizationCode()
    const all = await Promise.all([
      service.exchangeCode(code),
      otherNode.exchangeCode(code),
      service.exchangeCode(code),
      otherNode.exchangeCode(code),
    ])
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  })
})
