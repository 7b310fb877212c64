import { version } from '../../lib/version.js'
import { scopeDescriptions, scopeOf } from '../http/routes.js'
import { apiSchemas, collectionOperations, recordOperations } from './api-operations.js'
import { errorNamedBy, errorResponses, errorSchemas, errorsOf } from './error-responses.js'
import { monitoringOperations, monitoringSchemas } from './monitoring-operations.js'
import { type Operation, type ResponseDescription, reference, type Schema, tags } from './operation.js'
import { headers, parameters } from './parameters.js'
import { recordSchemas } from './record-schemas.js'
import { signInOperations, signInSchemas } from './sign-in-operations.js'

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
