import type { Schema } from './operation.js'

/** The parameters and headers that several operations have, by name. */
export const parameters: Readonly<Record<string, Schema>> = {
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
export const headers: Readonly<Record<string, Schema>> = {
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
