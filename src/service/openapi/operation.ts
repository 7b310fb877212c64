/** The types of the descriptions of routes, from which `document.ts` generates the OpenAPI document. */

/** A JSON Schema (draft 2020-12), or a reference to one. */
export type Schema = Readonly<Record<string, unknown>>

/** The groups of operations, with their descriptions. */
export const tags = {
  'Time entries': 'The time entries of the user.',
  Expenses: 'The expenses of the user.',
  'Reference data': 'The projects, clients and tasks of the company. Administrators change them.',
  'Sign-in': 'OAuth 2.0 with PKCE, and legacy API keys.',
  Operation: 'Pages of the service, and its state for load balancers and monitoring.',
} as const

export type ResponseDescription = {
  description: string
  headers?: Readonly<Record<string, Schema>>
  content?: Readonly<Record<string, { schema: Schema; example?: unknown }>>
}

/** The description of one method of a path. */
export interface Operation {
  operationId: string
  tag: keyof typeof tags
  /** A short imperative, as in the help of a command. */
  summary: string
  description?: string
  parameters?: readonly Schema[]
  requestBody?: Schema
  /** The responses by status or range such as 4XX, in addition to those that all routes of its kind have. */
  responses: Readonly<Record<number | `${number}XX`, ResponseDescription | Schema>>
}

/** A description of each method of each path in a table of routes. */
export type Descriptions<Table> = {
  readonly [Path in keyof Table]: Readonly<Record<keyof Table[Path], Operation>>
}

export const reference = (
  kind: 'schemas' | 'parameters' | 'headers' | 'responses',
  name: string,
): Schema => ({
  $ref: `#/components/${kind}/${name}`,
})

export const schemaReference = (name: string): Schema => reference('schemas', name)

/** Returns the description of a response with JSON. */
export function jsonContent(description: string, schema: Schema, example?: unknown): ResponseDescription {
  const content = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
  return { description, content }
}

/** Returns the description of a required request body. */
export function requestBody(type: string, schema: Schema, example: unknown): Schema {
  return { required: true, content: { [type]: { schema, example } } }
}

/** The schemas of errors, by name. */
export const errorSchemas: Readonly<Record<string, Schema>> = {
  Error: {
    type: 'object',
    description: 'An error of the API.',
    properties: {
      error: { type: 'string', description: 'A code for programs.' },
      message: { type: 'string', description: 'What is wrong, for people.' },
      errors: {
        type: 'object',
        description: 'The problems of each field or header.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
    required: ['error', 'message', 'errors'],
  },
  InsufficientScope: {
    type: 'object',
    description: 'The token lacks a scope.',
    properties: { error: { const: 'insufficient_scope' } },
    required: ['error'],
  },
}

const retryAfter = reference('headers', 'Retry-After')
const challenge = reference('headers', 'WWW-Authenticate')

/** Returns the description of an error of the API with one of these codes. */
export function apiError(description: string, codes: readonly string[]): ResponseDescription {
  return jsonContent(description, {
    allOf: [schemaReference('Error'), { type: 'object', properties: { error: { enum: codes } } }],
  })
}

/** The errors of the API that several operations have, by name. */
export const errorResponses = {
  BadRequest: apiError('The request cannot be read: a parameter, a header or the body is invalid.', [
    'bad_request',
    'invalid_query',
  ]),
  Unauthorized: {
    description: 'The token is missing, expired or revoked. The body is empty.',
    headers: { 'WWW-Authenticate': challenge },
  },
  Forbidden: {
    ...jsonContent('The token lacks the scope of the operation.', schemaReference('InsufficientScope')),
    headers: { 'WWW-Authenticate': challenge },
  },
  NotFound: apiError('The user has no such record.', ['not_found']),
  Conflict: apiError(
    'The external ID belongs to another record, or the Idempotency-Key to one that has been deleted.',
    ['conflict'],
  ),
  PreconditionFailed: apiError('The record has another entity tag than `If-Match`. Nothing was changed.', [
    'precondition_failed',
  ]),
  TooLarge: apiError('The body is larger than 1 MiB.', ['too_large']),
  UnsupportedMediaType: apiError('The body is no form.', ['unsupported_media_type']),
  Misdirected: apiError('The service is not configured for this address.', ['misdirected']),
  Invalid: apiError('Fields are invalid, or the Idempotency-Key belongs to a request with other fields.', [
    'invalid',
  ]),
  TooManyAttempts: {
    ...apiError('Too many failed attempts to sign in.', ['too_many_attempts']),
    headers: { 'Retry-After': retryAfter },
  },
  TooManyRequests: {
    ...apiError('The user has too many requests or long lists in progress. Send the request again.', [
      'too_many_requests',
    ]),
    headers: { 'Retry-After': retryAfter },
  },
  ServerError: apiError('The service failed.', ['internal']),
  Unavailable: {
    ...apiError('The database is unavailable. Send the request again, with its Idempotency-Key.', [
      'unavailable',
    ]),
    headers: { 'Retry-After': retryAfter },
  },
  DiskFull: apiError('The disk of the service is full.', ['internal']),
} as const satisfies Readonly<Record<string, ResponseDescription>>

type ErrorName = keyof typeof errorResponses

const names: Readonly<Record<number, ErrorName>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  421: 'Misdirected',
  422: 'Invalid',
  429: 'TooManyAttempts',
  500: 'ServerError',
  503: 'Unavailable',
  507: 'DiskFull',
}

/** Returns references to the errors with these statuses. */
export function errorsOf(...statuses: number[]): Record<number, Schema> {
  return Object.fromEntries(
    statuses.map((status) => [status, reference('responses', names[status] ?? 'ServerError')]),
  )
}

/** Returns the error that a reference names; undefined for another description. */
export function errorNamedBy(response: ResponseDescription | Schema): ResponseDescription | undefined {
  const name = '$ref' in response ? String(response.$ref).split('/').at(-1) : undefined
  return errorResponses[name as ErrorName]
}
