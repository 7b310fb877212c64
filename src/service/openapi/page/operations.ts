import { type Html, html } from '../../../lib/text/html.js'
import type { DocumentedOperation, OpenApiDocument } from '../document.js'
import type { Schema } from '../operation.js'
import { commandsOf } from './commands.js'
import { showFields, typeOf } from './schemas.js'
import { showTable } from './table.js'
import { inline } from './text.js'

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
