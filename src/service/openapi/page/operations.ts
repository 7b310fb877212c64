import { type Html, html } from '../../../lib/text/html.js'
import type { DocumentedOperation, OpenApiDocument } from '../document.js'
import type { Schema } from '../operation.js'
import { inline, showFields, showTable, typeOf } from './schemas.js'

export interface PageOperation {
  path: string
  method: string
  operation: DocumentedOperation
}

/** Returns the section of an operation. */
export function showOperation(api: OpenApiDocument, one: PageOperation): Html {
  const { path, method, operation } = one
  const { operationId, summary, description, parameters = [], requestBody } = operation
  const resolved = parameters.map((parameter) => resolve(api, parameter))
  return html`
<section class="item" id="${operationId}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p class="summary">${summary}${showSecurity(operation)}</p>
${description === undefined ? undefined : html`<p>${inline(description)}</p>`}
${resolved.length === 0 ? undefined : showParameters(resolved)}
${requestBody === undefined ? undefined : showBody(api, requestBody)}
<h4>Responses</h4>
${showResponses(api, operation)}
<h4>Try it</h4>
${commandsOf(api.servers[0]?.url ?? '', one, resolved).map((command) => html`<pre>${command}</pre>`)}
</section>`
}

function showSecurity({ security }: DocumentedOperation): Html | undefined {
  const [{ oauth: scopes = [] } = {}] = security as { oauth?: string[] }[]
  return scopes.length === 0 ? undefined : html` <span class="scope">${scopes.join(' ')}</span>`
}

function showParameters(parameters: readonly Schema[]): Html {
  const rows = parameters.map(({ name, in: place, required, schema, description }) => [
    html`<code>${String(name)}</code> <span class="quiet">${String(place)}</span>${
      required ? html` <span class="required">required</span>` : undefined
    }`,
    typeOf(schema as Schema),
    inline(String(description)),
  ])
  return html`<h4>Parameters</h4>
${showTable('Parameters', ['Name', 'Type', 'Description'], rows)}`
}

function showBody(api: OpenApiDocument, { content }: Schema): Html {
  const bodies = Object.entries(content as Record<string, { schema: Schema; example: unknown }>)
  return html`${bodies.map(
    ([type, { schema, example }]) => html`<h4>Request body <span class="quiet">${type}</span></h4>
${'$ref' in schema ? html`<p>${typeOf(schema)}</p>` : undefined}${showFields(resolve(api, schema))}
<h4>Example</h4>
<pre>${JSON.stringify(example, null, 2)}</pre>`,
  )}`
}

interface Response {
  description: string
  headers?: Record<string, Schema>
  content?: Record<string, { schema: Schema }>
}

function showResponses(api: OpenApiDocument, { responses }: DocumentedOperation): Html {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, headers = {}, content = {} } = resolve(api, response) as unknown as Response
    const bodies = Object.entries(content).map(
      ([type, { schema }]) => html`<div>${typeOf(schema)} <span class="quiet">${type}</span></div>`,
    )
    return [
      html`<code class="s${status[0]}">${status}</code>`,
      html`${inline(description)}${showHeaders(headers)}`,
      html`${bodies}`,
    ]
  })
  return showTable('Responses', ['Status', 'Meaning', 'Body'], rows)
}

/** Headers of every response of the API, which are described once. */
const commonHeaders = ['X-Request-Id', 'Idempotency-Key-Supported', 'If-Match-Supported']

function showHeaders(headers: Record<string, Schema>): Html | undefined {
  const names = Object.keys(headers).filter((name) => !commonHeaders.includes(name))
  if (names.length === 0) return undefined
  return html`<div class="quiet">Headers: ${names.map((name, index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>`)}</div>`
}

/** Returns the component that a reference names. */
function resolve<Value extends object>({ components }: OpenApiDocument, value: Value): Value {
  if (!('$ref' in value)) return value
  const [, , kind = '', name = ''] = String(value.$ref).split('/')
  return (components[kind]?.[name] ?? value) as Value
}

/**
 * Returns commands that send a request: `curl` for every operation, and the one of this program for those of the API. The
 * token is in the variable `TT_TOKEN`.
 */
function commandsOf(server: string, one: PageOperation, parameters: readonly Schema[]): string[] {
  const { path, operation } = one
  const isApi = operation.security.length > 0 && path.startsWith('/api/v1/')
  const required = parameters.filter(({ required, in: place }) => required && place === 'query')
  const query = required.map(
    ({ name, schema }) => `${name}=${(schema as Schema).const ?? String(name).toUpperCase()}`,
  )
  const target = `${path.replace('{id}', 'ID')}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const filter = parameters.find(({ name }) => name === 'q')?.example
  return [
    curlCommand(server, { ...one, target, isApi, filter: filter as string | undefined }),
    ...(isApi ? [apiCommand({ ...one, target, filter: filter as string | undefined })] : []),
  ]
}

interface Target extends PageOperation {
  /** The path and the required parameters. */
  target: string
  /** The JSON text of a filter. */
  filter: string | undefined
}

function curlCommand(
  server: string,
  { method, target, operation, filter, isApi }: Target & { isApi: boolean },
): string {
  const { requestBody } = operation
  const words = [
    ...(method === 'get' ? (filter === undefined ? [] : ['--get']) : [`--request ${method.toUpperCase()}`]),
    quote(`${server === '/' ? '' : server}${target}`),
    ...(isApi ? ['--header "Authorization: Bearer $TT_TOKEN"'] : []),
    ...(filter === undefined ? [] : [`--data-urlencode ${quote(`q=${filter}`)}`]),
    ...bodyWords(requestBody),
  ]
  return `curl ${words.join(' \\\n  ')}`
}

function bodyWords(body: Schema | undefined): string[] {
  const content = Object.entries(
    (body?.content ?? {}) as Record<string, { example: Record<string, unknown> }>,
  )
  return content.flatMap(([type, { example }]) =>
    type === 'application/json'
      ? [`--json ${quote(JSON.stringify(example))}`]
      : Object.entries(example).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
  )
}

function apiCommand({ method, target, operation, filter }: Target): string {
  const predicates = Object.entries(filter === undefined ? {} : (JSON.parse(filter) as object))
  const { content = {} } = operation.requestBody ?? {}
  const [{ example = {} } = {}] = Object.values(
    content as Record<string, { example: Record<string, unknown> }>,
  )
  const words = [
    `${method.toUpperCase()} ${quote(target.slice('/api/v1'.length))}`,
    ...predicates.map(([name, value]) => `-q ${quote(`${name}=${value}`)}`),
    ...fieldWords(example),
  ]
  return `tt api ${words.join(' \\\n  ')}`
}

function fieldWords(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) return fieldWords(value, `${prefix}${name}.`)
    const separator = typeof value === 'string' ? '=' : ':='
    return [`-f ${quote(`${prefix}${name}${separator}${value}`)}`]
  })
}

/** Quotes a word for a POSIX shell if it needs that. */
const quote = (word: string): string =>
  /^[\w./:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
