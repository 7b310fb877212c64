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
