import { expect, it } from 'vitest'
import { addApplication } from '../../../../src/service/oauth/applications.js'
import { sql } from '../../../../src/service/storage/sql.js'
import { temporarySqlite, useDatabase } from '../fixtures.js'
import { createOAuthTestService, origin, useOAuthTestService } from './test-service.js'

const database = useDatabase(temporarySqlite)
const service = useOAuthTestService(database)

it.each([
  [undefined, origin, origin],
  ['https://time.example.com', origin, 'https://time.example.com'],
  ['https://time.example.com', 'http://evil.example', 'https://time.example.com'],
])('with the public URL %s shows at %s how to sign in at %s', async (publicUrl, url, address) => {
  const service = await createOAuthTestService(database.storage, { publicUrl })
  const response = await service.send(new Request(`${url}/`))
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await response.text()).toContain(`<pre>tt login --base-url ${address}/api/v1</pre>`)
  const head = await service.send(new Request(`${url}/`, { method: 'HEAD' }))
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await service.send(new Request(`${url}/`, { method: 'POST' }))).status).toBe(405)
})

const loopback = 'http://127.0.0.1:4000/callback'
const login = `tt login --base-url ${origin}/api/v1`

const redirectUris = { public: loopback, confidential: loopback, web: 'https://app.example.com/back' }
type Kind = keyof typeof redirectUris

/** Returns the commands and the text of the page of a service with these applications only. */
async function pageWith(...kinds: Kind[]) {
  const { storage } = service
  await storage.queries.all(sql`delete from applications`)
  const ids: string[] = []
  for (const kind of kinds) {
    const application = { name: 'tt', redirectUris: [redirectUris[kind]], isPublic: kind !== 'confidential' }
    ids.push((await addApplication(storage, { ...application, clock: () => new Date() })).client_id)
  }
  const text = await (await service.send(new Request(`${origin}/`))).text()
  const commands = [...text.matchAll(/<pre>(tt (?:login|admin)[^<]*)<\/pre>/g)].map(([, command]) => command)
  return { text, commands, ids }
}

it('names the client ID of the only application if it is public', async () => {
  const { text, commands, ids } = await pageWith('public', 'web')
  expect(commands).toEqual([`${login} --client-id ${ids[0]}`])
  expect(text).toContain('Leave the prompt for a client secret empty')
  expect(text).not.toContain('administrator')
})

it.each<[kinds: Kind[], sentence: string]>([
  [['confidential'], 'The client ID and the client secret come from'],
  [['public', 'confidential'], 'The client ID and the client secret come from'],
  [
    ['public', 'public'],
    'The client ID comes from your administrator. Leave the prompt for a client secret empty',
  ],
])('names no client ID of the applications %j', async (kinds, sentence) => {
  const { text, commands, ids } = await pageWith(...kinds)
  expect(commands).toEqual([login])
  expect(text).toContain(sentence)
  for (const id of ids) expect(text).not.toContain(id)
})

it.each<[kinds: Kind[]]>([[[]], [['web']]])(
  'shows with the applications %j how to register one first',
  async (kinds) => {
    const { commands } = await pageWith(...kinds)
    const register = 'tt admin app add tt --public --redirect-uri http://127.0.0.1/callback'
    expect(commands).toEqual([register, login])
  },
)

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

async function get(path: string, headers: Record<string, string>, method = 'GET') {
  const response = await service.send(new Request(`${origin}${path}`, { method, headers }))
  return { response, type: response.headers.get('Content-Type'), text: await response.text() }
}

it.each([
  ['/nowhere', 404, 'Not found'],
  ['/api/v1/timesheets', 401, 'Not signed in'],
])('the error of %s is a page for a browser', async (path, status, title) => {
  const { response, type, text } = await get(path, browser)
  expect([response.status, type]).toEqual([status, 'text/html; charset=utf-8'])
  expect(text).toContain(`<h1>${title}</h1>`)
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  if (status === 401) expect(response.headers.get('WWW-Authenticate')).toContain('Bearer')
})

it.each([
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['PUT', '/oauth/authorize', 'GET, HEAD, POST'],
])('%s %s is not allowed, and gets a page in a browser', async (method, path, allowed) => {
  const { response, type } = await get(path, browser, method)
  expect([response.status, type]).toEqual([405, 'text/html; charset=utf-8'])
  expect(response.headers.get('Allow')).toBe(allowed)
})

it('the advice of an error fits the address', async () => {
  const advice = async (path: string, headers: Record<string, string> = {}) => {
    const response = await service.send(
      new Request(`${origin}${path}`, { headers: { ...browser, ...headers } }),
    )
    return [response.status, /<p class="last">(.*)<\/p>/.exec(await response.text())?.[1]]
  }
  const { access_token: token } = await service.exchangeCode(await service.authorizationCode())
  const inApi = await advice('/api/v1/timesheets?notes_eq=x', { Authorization: `Bearer ${token}` })
  expect(inApi).toEqual([400, expect.stringContaining('/docs')])
  expect(await advice('/oauth/authorize')).toEqual([400, expect.stringContaining('redirect URI')])
})

it('without text/html in Accept an error is JSON', async () => {
  const { response, type, text } = await get('/nowhere', { Accept: '*/*' })
  expect([response.status, type]).toEqual([404, 'application/json; charset=utf-8'])
  expect(JSON.parse(text)).toMatchObject({ error: 'not_found' })
})

it('records stay JSON for a browser', async () => {
  const { response, type } = await get('/openapi.json', browser)
  expect([response.status, type]).toEqual([200, expect.stringContaining('json')])
})
