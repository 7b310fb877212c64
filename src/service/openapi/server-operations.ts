import type { operationPaths } from '../operation/operation-endpoints.js'
import {
  apiError,
  type Descriptions,
  errorsOf,
  jsonContent,
  type Operation,
  requestBody,
  type Schema,
  schemaReference,
} from './operation.js'

/** The schemas of responses of sign-in, by name. */
export const signInSchemas: Readonly<Record<string, Schema>> = {
  LegacyKey: {
    type: 'object',
    properties: {
      api_key: { type: 'string', description: 'The key, for the header `Authorization: Bearer KEY`.' },
    },
    required: ['api_key'],
  },
}

const text: Schema = { type: 'string' }

const keyOperation: Operation = {
  operationId: 'issueLegacyKey',
  tag: 'Sign-in',
  summary: 'issue a legacy API key',
  description: 'The key grants full access and does not expire, unless the company limits its age.',
  requestBody: requestBody(
    'application/x-www-form-urlencoded',
    {
      type: 'object',
      properties: {
        email: { ...text, description: 'Email address of the user.' },
        password: { ...text, description: 'Password of the user.' },
        application: { ...text, description: 'A name for the application.' },
      },
      required: ['email', 'password', 'application'],
    },
    { email: 'ada@example.org', password: 'PASSWORD', application: 'my-script' },
  ),
  responses: {
    200: jsonContent('The key.', schemaReference('LegacyKey')),
    401: apiError('The email address or the password is wrong.', ['invalid_credentials']),
    404: apiError('The company issues no legacy keys.', ['legacy_keys_disabled']),
    ...errorsOf(400, 413, 415, 421, 422, 429, 500, 503, 507),
  },
}

/** Returns a summary of an endpoint that RFCs define, with links to their sections. */
function standard(operationId: string, summary: string, sections: readonly string[]): Operation {
  const links = sections.map((section) => {
    const [rfc, number] = section.split('#')
    const address = `https://www.rfc-editor.org/rfc/rfc${rfc}`
    return number
      ? `[RFC ${rfc} section ${number}](${address}#section-${number})`
      : `[RFC ${rfc}](${address})`
  })
  return {
    ...{ operationId, tag: 'Sign-in', summary },
    description: `Parameters, responses and errors are those of ${links.join(' and ')}.`,
    responses: {
      '2XX': { description: 'Success.' },
      '3XX': { description: 'The result, in the parameters of the redirect URI.' },
      '4XX': { description: 'An error of the request.' },
      '5XX': { description: 'An error of the service.' },
    },
  }
}

/** The endpoints of sign-in that programs call; the pages for browsers are none. */
export const signInOperations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/oauth/authorize': {
    GET: standard('authorize', 'open the sign-in and consent pages in the browser of the user', [
      '6749#4.1.1',
      '7636#4.3',
      '9207',
    ]),
  },
  '/oauth/token': {
    POST: standard('grantTokens', 'exchange a code or a refresh token for tokens', [
      '6749#4.1.3',
      '6749#6',
      '7636#4.5',
    ]),
  },
  '/oauth/revoke': { POST: standard('revokeToken', 'revoke a token or a legacy key', ['7009']) },
  '/.well-known/oauth-authorization-server': {
    GET: standard('showServerMetadata', 'show the metadata of the authorization server', ['8414']),
  },
  '/api/v1/authenticate': { POST: keyOperation },
}

/** The schemas of the endpoints for monitoring, by name. */
export const monitoringSchemas: Readonly<Record<string, Schema>> = {
  Readiness: {
    type: 'object',
    properties: {
      status: { enum: ['ready', 'not_ready'] },
      checks: {
        type: 'object',
        properties: {
          database: { type: 'boolean', description: 'The database responds within 2 s.' },
          migrations: { type: 'boolean', description: 'Its tables are those of this version, or newer.' },
          disk: {
            type: 'boolean',
            description: 'The disk stores changes; only with SQLite.',
          },
          running: { type: 'boolean', description: 'The service is not stopping.' },
        },
        required: ['database', 'migrations', 'running'],
      },
    },
    required: ['status', 'checks'],
  },
}

type MonitoringEndpoints = { readonly [Path in (typeof operationPaths)[number]]: { GET: unknown } }

export const monitoringOperations: Descriptions<MonitoringEndpoints> = {
  '/healthz': {
    GET: {
      operationId: 'checkHealth',
      tag: 'Operation',
      summary: 'check that the service runs',
      responses: {
        200: jsonContent('The service runs.', {
          type: 'object',
          properties: { status: { const: 'ok' } },
          required: ['status'],
        }),
        ...errorsOf(400),
      },
    },
  },
  '/readyz': {
    GET: {
      operationId: 'checkReadiness',
      tag: 'Operation',
      summary: 'check that the service can handle requests',
      responses: {
        200: jsonContent('The service is ready.', schemaReference('Readiness')),
        503: jsonContent('The service is not ready.', schemaReference('Readiness')),
        ...errorsOf(400),
      },
    },
  },
}
