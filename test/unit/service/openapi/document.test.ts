import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { collectionRoutes, recordRoutes } from '../../../../src/service/http/routes.js'
import { endpoints } from '../../../../src/service/oauth/authorization-server.js'
import { createDocument } from '../../../../src/service/openapi/document.js'
import { operationPaths } from '../../../../src/service/operation/operation-endpoints.js'
import { q, temporarySqlite, useDatabase, useServiceFixture } from '../fixtures.js'
import { createOAuthTestService } from '../oauth/test-service.js'

const database = useDatabase(temporarySqlite)
const at = useServiceFixture(database)

const document = createDocument('https://time.example.org')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, keywords: ['components'] })
addFormats.default(ajv)

const problemsOf = (schema: object, value: unknown) => {
  const validate = ajv.compile({ ...schema, components: document.components })
  return validate(value) ? [] : [ajv.errorsText(validate.errors)]
}

it('describes exactly the routes of the service that are no pages', () => {
  const methodsOf = (table: Record<string, object>, toPath: (path: string) => string) =>
    Object.entries(table).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${toPath(path)}`),
    )
  const signIn = Object.entries(endpoints).flatMap(([path, { methods }]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  )
  const pages = ['GET /', 'GET /docs', 'GET /openapi.json', 'POST /oauth/authorize']
  const isPage = (route: string) => pages.includes(route) || route.includes('/oauth/authorize/provider')
  const routes = [
    ...methodsOf(collectionRoutes, (path) => `/api/v1${path}`),
    ...methodsOf(recordRoutes, (path) => `/api/v1${path}/{id}`),
    ...signIn.filter((route) => !isPage(route)),
    ...operationPaths.map((path) => `GET ${path}`),
  ]
  expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
    routes.sort(),
  )
})

it('describes exactly the statuses that the service uses, except those of pages, and 405 in the introduction', () => {
  const service = join(import.meta.dirname, '../../../../src/service')
  const sources = readdirSync(service, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('openapi'),
  )
  const pattern =
    /(?:HttpError|OAuthError)\(\s*(\d{3})|status: (\d{3})|isReady \? (\d{3}) : (\d{3})|, (\d{3})(?:\)|, \{)/g
  const used = sources.flatMap((name) =>
    [...readFileSync(join(service, name), 'utf8').matchAll(pattern)].flatMap((match) =>
      match.slice(1).filter((status) => /^[2-5]\d\d$/.test(status ?? '')),
    ),
  )
  const described = operations
    .flatMap(({ operation }) => Object.keys(operation.responses))
    .filter((status) => !status.endsWith('XX'))
  const ofPages = ['303', '414', '502']
  expect([...new Set([...described, '405', ...ofPages])].sort()).toEqual([...new Set(used)].sort())
  expect(document.info.description).toContain('405')
})

it('has a unique ID, a summary and security for each operation', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operations) {
    expect(operation.summary).toMatch(/^[a-z].*[^.]$/)
    const isPublic = !path.startsWith('/api/v1') || path === '/api/v1/authenticate'
    if (!isPublic) expect(operation.security).toEqual([{ oauth: [expect.any(String)] }, { legacyKey: [] }])
  }
})

it('requires the scope that the service requires', async () => {
  const service = await createOAuthTestService(database.storage)
  const tokenOf = async (scope: string) =>
    (await service.exchangeCode(await service.authorizationCode({ scope }))).access_token
  const tokens = {
    'service:read': await tokenOf('service:read'),
    'service:write': await tokenOf('service:write'),
  }
  for (const { path, method, operation } of operations) {
    const [{ oauth: [scope] = [] } = {}] = operation.security as { oauth?: string[] }[]
    if (scope === undefined) continue
    for (const [granted, token] of Object.entries(tokens)) {
      const url = `http://127.0.0.1:8320${path.replace('{id}', '1')}`
      const headers = { Authorization: `Bearer ${token}` }
      const { status } = await service.send(new Request(url, { method: method.toUpperCase(), headers }))
      expect(status === 403, `${method} ${path}`).toBe(granted !== scope)
    }
  }
})

it('has only filters that the service accepts', { tags: 'slow' }, async () => {
  const samples = { integer: 1, number: 1.5, string: '2026-11-02', boolean: true, null: null }
  type Filter = { properties: Record<string, { type: keyof typeof samples | (keyof typeof samples)[] }> }
  let count = 0
  for (const { path, operation } of operations) {
    const filter = filterOf(operation.parameters)
    for (const [key, { type }] of Object.entries((filter as Filter | undefined)?.properties ?? {})) {
      for (const sample of [type].flat()) {
        const isNumber = sample === 'string' && /_id|^id|amount/.test(key)
        const value = key === 'etag_eq' && sample === 'string' ? '"1"' : isNumber ? '1' : samples[sample]
        const response = await at.get(`${path.slice('/api/v1'.length)}?${q({ [key]: value })}`)
        expect(response.status, `${key}: ${await response.text()}`).toBe(200)
        count++
      }
    }
  }
  expect(count).toBeGreaterThan(200)
})

function filterOf(parameters: readonly object[] = []): unknown {
  const { schema } = (parameters as Parameter[]).find(({ name }) => name === 'q') ?? {}
  return schema && document.components.schemas?.[schema.contentSchema.$ref.split('/').at(-1) ?? '']
}

it('has valid examples', () => {
  type Body = { content: Record<string, { schema: object; example: object }> }
  for (const { path, operation } of operations) {
    const { content } = (operation.requestBody ?? { content: {} }) as Body
    for (const { schema, example } of Object.values(content))
      expect(problemsOf(schema, example), path).toEqual([])
    const filter = filterOf(operation.parameters)
    const parameter = operation.parameters?.find((one) => one.name === 'q')
    if (filter) expect(problemsOf(filter as object, JSON.parse(String(parameter?.example))), path).toEqual([])
  }
})

it('describes the common headers of every response, errors included', () => {
  const ofApi = ['Idempotency-Key-Supported', 'If-Match-Supported']
  for (const { path, method, operation } of operations) {
    const isApi = operation.security.some((scheme) => 'oauth' in scheme)
    for (const [status, response] of Object.entries(operation.responses)) {
      const { headers = {} } = resolve(response) as { headers?: object }
      const found = ['X-Request-Id', ...ofApi].filter((name) => name in headers)
      expect(found, `${status} to ${method} ${path}`).toEqual(['X-Request-Id', ...(isApi ? ofApi : [])])
    }
  }
})

it('has an example of every parameter, and the service accepts them together', async () => {
  for (const { path, method, operation } of operations) {
    const described = (operation.parameters ?? []).map((one) => resolve(one) as Parameter)
    for (const { name, example, examples } of described)
      expect(example ?? examples, `${name} of ${method} ${path}`).toBeDefined()
    if (method !== 'get' || !operation.security.some((scheme) => 'oauth' in scheme)) continue
    const query = described.filter((one) => one.in === 'query' && one.example !== undefined)
    const parameters = new URLSearchParams(
      Object.fromEntries(query.map(({ name, example }) => [name, String(example)])),
    )
    const response = await at.get(`${path.slice('/api/v1'.length).replace('{id}', '12')}?${parameters}`)
    expect([200, 404], `${path}: ${await response.text()}`).toContain(response.status)
  }
})

interface Parameter {
  name: string
  in: string
  example?: unknown
  examples?: object
  schema?: { contentSchema: { $ref: string } }
}

/** Returns the component that a reference names. */
function resolve(value: object): object {
  if (!('$ref' in value)) return value
  const [, , kind = '', name = ''] = String(value.$ref).split('/')
  return document.components[kind]?.[name] ?? {}
}

it('is served with the address of the service', async () => {
  const service = await createOAuthTestService(database.storage, { publicUrl: 'https://time.example.org' })
  const response = await service.send(new Request('https://time.example.org/openapi.json'))
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)))
})

it('has addresses relative to its own without an address of the service', () => {
  const { servers, components } = createDocument('')
  expect(servers).toMatchObject([{ url: '/' }])
  expect(components.securitySchemes?.oauth).toMatchObject({
    flows: { authorizationCode: { authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token' } },
  })
})
