import type { operationPaths } from '../operation/operation-endpoints.js'
import { type Descriptions, errorsOf, jsonContent, type Schema, schemaReference } from './operation.js'

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
