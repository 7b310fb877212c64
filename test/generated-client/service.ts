// A client whose types openapi-typescript has written to `schema.ts`, for the service in the environment.
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

export type Schemas = components['schemas']

/** The operations that the tests have used, such as "GET /api/v1/timesheets". */
export const usedOperations = new Set<string>()

/** The value of an environment variable; throws Error if it is missing. */
export function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`The environment variable ${name} is missing.`)
  return value
}

/** Creates a client that sends this token, if there is one. `Media` is the media type of its responses, where there are several. */
export function clientWith<Media extends `${string}/${string}` = 'application/json'>(
  token: string | undefined,
) {
  const client = createClient<paths, Media>({
    baseUrl: variable('SERVICE_ORIGIN'),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  client.use({
    onRequest({ request, schemaPath }) {
      usedOperations.add(`${request.method} ${schemaPath}`)
    },
  })
  return client
}

export const client = clientWith(variable('SERVICE_TOKEN'))

/** Writes a filter, whose names and values the compiler checks. */
export const filter = <Name extends keyof Schemas & `${string}Filter`>(_: Name, predicates: Schemas[Name]) =>
  JSON.stringify(predicates)
