import { version } from '../../lib/version.js'
import { scopeDescriptions, scopeOf } from '../http/routes.js'
import { apiSchemas, collectionOperations, recordOperations } from './api-operations.js'
import {
  errorNamedBy,
  errorResponses,
  errorSchemas,
  errorsOf,
  type Operation,
  type ResponseDescription,
  reference,
  type Schema,
  tags,
} from './operation.js'
import { recordSchemas } from './record-schemas.js'
import {
  monitoringOperations,
  monitoringSchemas,
  signInOperations,
  signInSchemas,
} from './server-operations.js'

/** The parameters and headers that several operations have, by name. */
const parameters: Readonly<Record<string, Schema>> = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The ID of the record.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  page: {
    name: 'page',
    in: 'query',
    description: 'The number of the page; requires `per_page`.',
    schema: { type: 'integer', minimum: 1, default: 1 },
    example: 1,
  },
  per_page: {
    name: 'per_page',
    in: 'query',
    description: 'The number of records of a page. Without it, the response contains all records.',
    schema: { type: 'integer', minimum: 1, maximum: 1000 },
    example: 50,
  },
  after: {
    name: 'after',
    in: 'query',
    description: 'The position at which a long list continues, from its `Link` header. Not with `per_page`.',
    schema: { type: 'string' },
    // Programs that send the example of every parameter would combine it with `per_page`, so it is no `example`.
    examples: { position: { summary: 'After an entry', value: 'WzE3OTM1MjE4MDAwMDAsMTJd' } },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A unique key of the new record, such as a UUID. A repeated request with the key and the same fields responds with the record of the first one.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: '0b6fbb3e-6d56-4c4e-8a55-0f8f9f0c1a2b',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `etag` of the record, or several separated by commas: the request has an effect only while the record has one of them (RFC 9110 section 13.1.1). `*` stands for all; a weak tag never matches.',
    schema: { type: 'string' },
    example: '"483920157"',
  },
}

/** The headers of responses, by name. */
const headers: Readonly<Record<string, Schema>> = {
  Link: {
    description:
      'The addresses of other parts of the list: `first`, `prev`, `next` and `last` (RFC 8288). They are relative to that of the request unless the service has a public URL.',
    required: true,
    schema: { type: 'string' },
  },
  'X-Total-Count': {
    description:
      'The number of records of the whole list. A list in one response, without `per_page`, has no such header.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: {
    description: 'The entity tag of the record, as in its field `etag`.',
    required: true,
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds after which the request may be sent again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': {
    description: 'The challenge (RFC 6750 section 3).',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotency-Key-Supported': {
    description: 'Repeated creates with one `Idempotency-Key` create one record: always `?1`.',
    required: true,
    schema: { const: '?1' },
  },
  'If-Match-Supported': {
    description: '`If-Match` makes changes and deletions of records conditional: always `?1`.',
    required: true,
    schema: { const: '?1' },
  },
  'X-Request-Id': {
    description: 'Identifies the request in the log of the service. A valid header of the request is used.',
    schema: { type: 'string' },
  },
}

/** An operation in the document. */
export interface DocumentedOperation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security: readonly Schema[]
  parameters?: readonly Schema[]
  requestBody?: Schema
  responses: Readonly<Record<string, ResponseDescription | Schema>>
}

export interface OpenApiDocument {
  openapi: string
  info: Readonly<Record<string, unknown>>
  servers: readonly { url: string; description: string }[]
  tags: readonly { name: string; description: string }[]
  /** The operations by path and lower-case method. */
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  components: Readonly<Record<string, Readonly<Record<string, Schema | ResponseDescription>>>>
}

/**
 * Returns the OpenAPI 3.1 document of the service, from the descriptions of all routes.
 *
 * @param origin the address of the service without a path, such as https://time.example.org; an empty text for addresses
 * relative to that of the document
 */
export function createDocument(origin: string): OpenApiDocument {
  const paths = { ...apiPaths(), ...otherPaths() }
  const usedReferences = JSON.stringify(paths)
  return {
    openapi: '3.1.1',
    info: {
      title: 'tt time-tracking service',
      summary: 'Time entries, expenses and reference data of a company.',
      description: introduction,
      version,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: origin === '' ? '/' : origin, description: 'This service.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { ...recordSchemas(), ...apiSchemas, ...signInSchemas, ...monitoringSchemas, ...errorSchemas },
      parameters,
      headers,
      responses: Object.fromEntries(
        Object.entries(errorResponses)
          .filter(([name]) => usedReferences.includes(`"#/components/responses/${name}"`))
          .map(([name, response]) => [name, withHeaders(response, apiHeaders)]),
      ),
      securitySchemes: securitySchemes(origin),
    },
  }
}

const introduction = `Every request of the API carries the header \`Authorization: Bearer TOKEN\`, with an access token of OAuth 2.0 or a legacy API key. GET needs the scope \`service:read\`, every other method \`service:write\`.

Every GET may be replaced by HEAD, whose response has no body. Other methods respond 405 with the header \`Allow\`, and unknown paths 404, both with an \`Error\`. A request whose \`Accept\` contains \`text/html\`, as browsers send it, gets errors as pages. Times are RFC 3339; responses have them in UTC with milliseconds. Clients must accept further fields in responses.`

function apiPaths(): OpenApiDocument['paths'] {
  const collections = Object.entries(collectionOperations).map(([path, operations]) => [
    `/api/v1${path}`,
    describeMethods(operations, (method, operation) => describeApiOperation(method, operation, [])),
  ])
  const records = Object.entries(recordOperations).map(([path, operations]) => [
    `/api/v1${path}/{id}`,
    describeMethods(operations, (method, operation) =>
      describeApiOperation(method, operation, [reference('parameters', 'id')]),
    ),
  ])
  return Object.fromEntries([...collections, ...records])
}

function describeMethods(
  operations: Readonly<Record<string, Operation>>,
  describe: (method: string, operation: Operation) => DocumentedOperation,
): Record<string, DocumentedOperation> {
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method.toLowerCase(),
      describe(method, operation),
    ]),
  )
}

function describeApiOperation(
  method: string,
  operation: Operation,
  pathParameters: readonly Schema[],
): DocumentedOperation {
  const described = describeOperation(
    {
      ...operation,
      parameters: [...pathParameters, ...(operation.parameters ?? [])],
      responses: {
        ...operation.responses,
        ...errorsOf(400, 401, 403, 500, 503, 507),
        429: reference('responses', 'TooManyRequests'),
      },
    },
    [{ oauth: [scopeOf(method)] }, { legacyKey: [] }],
  )
  const responses = Object.entries(described.responses).map(([status, response]) => [
    status,
    '$ref' in response ? response : withHeaders(response, apiHeaders),
  ])
  return { ...described, responses: Object.fromEntries(responses) }
}

/** The headers of every response, and of every response of the API. */
const commonHeaders = ['X-Request-Id']
const apiHeaders = [...commonHeaders, 'Idempotency-Key-Supported', 'If-Match-Supported']

function withHeaders(response: ResponseDescription | Schema, names: readonly string[]): Schema {
  const common = Object.fromEntries(names.map((name) => [name, reference('headers', name)]))
  return { ...response, headers: { ...(response.headers as object | undefined), ...common } }
}

function otherPaths(): OpenApiDocument['paths'] {
  const entries = Object.entries({ ...signInOperations, ...monitoringOperations })
  return Object.fromEntries(
    entries.map(([path, operations]) => [
      path,
      describeMethods(operations, (_, operation) => describeOtherOperation(operation, securityOf(path))),
    ]),
  )
}

function describeOtherOperation(operation: Operation, security: readonly Schema[]): DocumentedOperation {
  const described = describeOperation(operation, security)
  const responses = Object.entries(described.responses).map(([status, response]) => [
    status,
    // The named responses have the headers of the API.
    withHeaders(errorNamedBy(response) ?? response, commonHeaders),
  ])
  return { ...described, responses: Object.fromEntries(responses) }
}

/** Returns the security of a path outside of the API. Applications may also name themselves in the body. */
function securityOf(path: string): Schema[] {
  return path === '/oauth/token' || path === '/oauth/revoke' ? [{ clientCredentials: [] }, {}] : []
}

function describeOperation(
  { tag, parameters: own = [], ...operation }: Operation,
  security: readonly Schema[],
): DocumentedOperation {
  return { ...operation, tags: [tag], security, ...(own.length > 0 ? { parameters: own } : {}) }
}

function securitySchemes(origin: string): Record<string, Schema> {
  return {
    oauth: {
      type: 'oauth2',
      description:
        'Authorization code flow with PKCE (S256), which is required. An administrator registers the application and its redirect URIs. An access token lasts 2 hours.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: `${origin}/oauth/token`,
          refreshUrl: `${origin}/oauth/token`,
          scopes: scopeDescriptions,
        },
      },
    },
    legacyKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A key of `POST /api/v1/authenticate` with the email address and the password of a user. It grants full access, and does not expire unless the company limits its age. It stops working as soon as the user is deactivated. OAuth 2.0 is preferred.',
    },
    clientCredentials: {
      type: 'http',
      scheme: 'basic',
      description: 'Client ID and client secret of an application (RFC 6749 section 2.3.1).',
    },
  }
}
