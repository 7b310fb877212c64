import {
  jsonContent,
  type ResponseDescription,
  reference,
  type Schema,
  schemaReference,
} from './operation.js'

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
