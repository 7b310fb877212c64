import type { Schema } from '../operation.js'
import type { PageOperation } from './operations.js'

/**
 * Returns commands that send a request: `curl` for every operation, and the one of this program for those of the API. The
 * token is in the variable `TT_TOKEN`.
 */
export function commandsOf(server: string, one: PageOperation, parameters: readonly Schema[]): string[] {
  const { path, operation } = one
  const isApi = operation.security.length > 0 && path.startsWith('/api/v1/')
  const required = parameters.filter(({ required, in: place }) => required && place === 'query')
  const query = required.map(
    ({ name, schema }) => `${name}=${(schema as Schema).const ?? String(name).toUpperCase()}`,
  )
  const target = `${path.replace('{id}', 'ID')}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const filter = parameters.find(({ name }) => name === 'q')?.example
  return [
    curlCommand(server, { ...one, target, isApi, filter: filter as string | undefined }),
    ...(isApi ? [apiCommand({ ...one, target, filter: filter as string | undefined })] : []),
  ]
}

interface Target extends PageOperation {
  /** The path and the required parameters. */
  target: string
  /** The JSON text of a filter. */
  filter: string | undefined
}

function curlCommand(
  server: string,
  { method, target, operation, filter, isApi }: Target & { isApi: boolean },
): string {
  const { requestBody } = operation
  const words = [
    ...(method === 'get' ? (filter === undefined ? [] : ['--get']) : [`--request ${method.toUpperCase()}`]),
    quote(`${server === '/' ? '' : server}${target}`),
    ...(isApi ? ['--header "Authorization: Bearer $TT_TOKEN"'] : []),
    ...(filter === undefined ? [] : [`--data-urlencode ${quote(`q=${filter}`)}`]),
    ...bodyWords(requestBody),
  ]
  return `curl ${words.join(' \\\n  ')}`
}

function bodyWords(body: Schema | undefined): string[] {
  const content = Object.entries(
    (body?.content ?? {}) as Record<string, { example: Record<string, unknown> }>,
  )
  return content.flatMap(([type, { example }]) =>
    type === 'application/json'
      ? [`--json ${quote(JSON.stringify(example))}`]
      : Object.entries(example).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
  )
}

function apiCommand({ method, target, operation, filter }: Target): string {
  const predicates = Object.entries(filter === undefined ? {} : (JSON.parse(filter) as object))
  const { content = {} } = operation.requestBody ?? {}
  const [{ example = {} } = {}] = Object.values(
    content as Record<string, { example: Record<string, unknown> }>,
  )
  const words = [
    `${method.toUpperCase()} ${quote(target.slice('/api/v1'.length))}`,
    ...predicates.map(([name, value]) => `-q ${quote(`${name}=${value}`)}`),
    ...fieldWords(example),
  ]
  return `tt api ${words.join(' \\\n  ')}`
}

function fieldWords(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) return fieldWords(value, `${prefix}${name}.`)
    const separator = typeof value === 'string' ? '=' : ':='
    return [`-f ${quote(`${prefix}${name}${separator}${value}`)}`]
  })
}

/** Quotes a word for a POSIX shell if it needs that. */
const quote = (word: string): string =>
  /^[\w./:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
