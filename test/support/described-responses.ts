import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { HostedApp } from '../../src/service/http/listener.js'
import type { RequestLike } from '../../src/service/http/request-context.js'
import { type HttpResponse, toFetchResponse } from '../../src/service/http/response.js'
import { createDocument } from '../../src/service/openapi/document.js'
import { violations } from './response-violations.js'

interface ResponseObject {
  headers?: Record<string, { required?: boolean; schema?: object; $ref?: string }>
  content?: Record<string, { schema: object }>
}

type Responses = Record<string, ResponseObject>

const document = createDocument('http://127.0.0.1:8320')
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, keywords: ['components'] })
addFormats.default(ajv)

const paths = Object.entries(document.paths).map(([path, operations]) => ({
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace('{id}', '[0-9]+')}$`),
  path,
  operations,
}))

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
/** The responses that the introduction of the document describes for all paths. */
const apiHeaders = { 'Idempotency-Key-Supported': {}, 'If-Match-Supported': {} }
const methodNotAllowed: ResponseObject = {
  headers: { Allow: { required: true, schema: { type: 'string' } }, ...apiHeaders },
  content: errorContent,
}
const commonErrors = Object.fromEntries(
  Object.entries({
    400: 'BadRequest',
    401: 'Unauthorized',
    500: 'ServerError',
    503: 'Unavailable',
    507: 'DiskFull',
  }).map(([status, name]) => [status, document.components.responses?.[name]]),
) as Responses

/** Headers that need no description: those of HTTP itself, and those that protect browsers. */
const generalHeaders = new Set([
  ...['cache-control', 'content-length', 'content-type', 'pragma', 'set-cookie', 'x-content-type-options'],
  ...['content-security-policy', 'referrer-policy', 'x-frame-options'],
])

/** Returns the app; compares each response with the OpenAPI document before it is sent. */
export function describedApp<Rest extends unknown[]>(app: {
  fetch(request: Request, ...rest: Rest): Promise<Response>
}): { fetch(request: Request, ...rest: Rest): Promise<Response> } {
  return {
    async fetch(request, ...rest) {
      const { url, method } = request
      const response = await app.fetch(request, ...rest)
      const { status, headers } = response
      const body = await response.text().catch(failedBody)
      if (typeof body === 'string') violations.push(...violationsOf({ url, method }, response, body))
      return new Response(response.body === null ? null : body, { status, headers })
    },
  }
}

/** Returns the app for a listener, with the same comparison for responses that are sent without fetch. */
export function describedHost(app: HostedApp): HostedApp {
  const { serve } = app
  return {
    ...describedApp(app),
    serve:
      serve && (async (request, connection) => describedResponse(request, await serve(request, connection))),
  }
}

async function describedResponse(request: RequestLike, response: HttpResponse): Promise<HttpResponse> {
  const { url, method } = request
  const { status, headers } = response
  const described = toFetchResponse(response)
  const body = method === 'HEAD' ? '' : await described.text().catch(failedChunks)
  if (typeof body !== 'string') return { ...response, body }
  violations.push(...violationsOf({ url, method }, { status, headers: new Headers(headers) }, body))
  return { ...response, body: response.body === null ? null : body }
}

/** Returns the body of such a response without fetch. */
async function* failedChunks(error: unknown): AsyncGenerator<string> {
  yield ''
  throw error
}

/** Returns the body of a response that ended early, such as by an error of the database. */
function failedBody(error: unknown): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(error) })
}

/** Returns in which parts a response differs from the OpenAPI document. */
export function violationsOf(
  { url, method }: { url: string; method: string },
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
): string[] {
  const { pathname } = new URL(url)
  const name = `${status} to ${method} ${pathname}`
  const found = findResponse(method, pathname, status)
  if (isPage(pathname) || found === 'standard') return []
  if (!found) return [`${name} is not described`]
  const problems = headerProblems(found.response, headers)
  if (method === 'HEAD')
    return [...problems, ...(body === '' ? [] : ['a body'])].map((text) => `${name}: ${text}`)
  // The document describes pages for browsers in its introduction.
  const isErrorPage = status >= 400 && headers.get('Content-Type') === 'text/html; charset=utf-8'
  const content = isErrorPage ? [] : contentProblem(found.key, found.response, headers, body)
  return [...problems, ...content].map((problem) => `${name}: ${problem}`)
}

/** Whether a path is a page for browsers, which is not part of the API. */
const isPage = (pathname: string) => /^\/($|docs$|openapi\.json$|oauth\/authorize)/.test(pathname)

/** Returns the description of a response; `standard` for that of an endpoint whose description names its standard. */
function findResponse(method: string, pathname: string, status: number) {
  const found = paths.find(({ pattern }) => pattern.test(pathname))
  if (!found)
    return status === 404
      ? { key: 'unknown path', response: { headers: apiHeaders, content: errorContent } }
      : undefined
  const operation = found.operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
  const responses = operation
    ? (operation.responses as Responses)
    : { ...commonErrors, 405: methodNotAllowed }
  if (!responses[status] && responses[`${String(status)[0]}XX`]) return 'standard'
  const response = resolve(responses[status])
  return response && { key: `${method} ${found.path} ${status}`, response }
}

function resolve<Value extends object>(value: Value | undefined): Value | undefined {
  const pointer = value && '$ref' in value ? String(value.$ref) : undefined
  if (pointer === undefined) return value
  const [, , kind = '', name = ''] = pointer.split('/')
  return document.components[kind]?.[name] as Value | undefined
}

function headerProblems({ headers: described = {} }: ResponseObject, headers: Headers): string[] {
  const names = Object.keys(described).map((name) => name.toLowerCase())
  const unknown = [...headers.keys()].filter((name) => !generalHeaders.has(name) && !names.includes(name))
  return [
    ...unknown.map((name) => `the header ${name} is not described`),
    ...Object.entries(described).flatMap(([name, header]) => {
      const { required, schema } = resolve(header) ?? {}
      const value = headers.get(name)
      if (value === null) return required ? [`the header ${name} is missing`] : []
      const isInteger = schema && 'type' in schema && schema.type === 'integer'
      return problemsOf(`header ${name}`, schema ?? {}, isInteger ? Number(value) : value)
    }),
  ]
}

function contentProblem(key: string, { content }: ResponseObject, headers: Headers, body: string): string[] {
  const type = headers.get('Content-Type')?.split(';')[0]
  if (!content) return body === '' ? [] : ['a body is not described']
  const schema = type === undefined ? undefined : content[type]?.schema
  if (!schema) return [`the type ${type} is not described`]
  if (!type?.endsWith('json')) return []
  const value: unknown = JSON.parse(body)
  return problemsOf(`${key} ${type}`, schema, value)
}

const validators = new Map<string, ValidateFunction>()

function problemsOf(key: string, schema: object, value: unknown): string[] {
  const validate = validators.get(key) ?? ajv.compile({ ...schema, components: document.components })
  validators.set(key, validate)
  return validate(value) ? [] : [ajv.errorsText(validate.errors, { dataVar: 'body' })]
}
