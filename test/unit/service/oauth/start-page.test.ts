import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Database, temporarySqlite } from '../fixtures.js'
import { createOAuthTestService, origin } from './test-service.js'

let database: Database
beforeAll(async () => {
  database = await temporarySqlite()
})
afterAll(() => database.close())

it.each([
  [undefined, origin],
  ['https://time.example.com', 'https://time.example.com'],
])('shows the command that signs in with the public URL %s', async (publicUrl, address) => {
  const service = await createOAuthTestService(database.storage, { publicUrl })
  const response = await service.send(new Request(`${origin}/`))
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await response.text()).toContain(`<pre>tt login --base-url ${address}/api/v1</pre>`)
  const head = await service.send(new Request(`${origin}/`, { method: 'HEAD' }))
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect((await service.send(new Request(`${origin}/`, { method: 'POST' }))).status).toBe(405)
})

it('shows no command with a host that may belong to others', async () => {
  const service = await createOAuthTestService(database.storage)
  const response = await service.send(new Request('http://attacker.example/'))
  expect(response.status).toBe(421)
  expect(await response.text()).not.toContain('tt login --base-url')
})
