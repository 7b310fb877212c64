import { expect, test } from 'vitest'
import { temporarySqlite, useDatabase } from '../fixtures.js'
import { createOAuthTestService, origin } from './test-service.js'

const database = useDatabase(temporarySqlite)

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

async function get(path: string, headers: Record<string, string>, method = 'GET') {
  const service = await createOAuthTestService(database.storage)
  const response = await service.send(new Request(`${origin}${path}`, { method, headers }))
  return { response, type: response.headers.get('Content-Type'), text: await response.text() }
}

test.each([
  ['/nowhere', 404, 'Not found'],
  ['/api/v1/timesheets', 401, 'Not signed in'],
])('the error of %s is a page for a browser', async (path, status, title) => {
  const { response, type, text } = await get(path, browser)
  expect([response.status, type]).toEqual([status, 'text/html; charset=utf-8'])
  expect(text).toContain(`<h1>${title}</h1>`)
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  if (status === 401) expect(response.headers.get('WWW-Authenticate')).toContain('Bearer')
})

test('a method that is not allowed gets a page in a browser', async () => {
  const { response, type } = await get('/openapi.json', browser, 'POST')
  expect([response.status, type]).toEqual([405, 'text/html; charset=utf-8'])
  expect(response.headers.get('Allow')).toContain('GET')
})

test('the advice of an error fits the address', async () => {
  const service = await createOAuthTestService(database.storage)
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

test('without text/html in Accept an error is JSON', async () => {
  const { response, type, text } = await get('/nowhere', { Accept: '*/*' })
  expect([response.status, type]).toEqual([404, 'application/json; charset=utf-8'])
  expect(JSON.parse(text)).toMatchObject({ error: 'not_found' })
})

test('records stay JSON for a browser', async () => {
  const { response, type } = await get('/openapi.json', browser)
  expect([response.status, type]).toEqual([200, expect.stringContaining('json')])
})
