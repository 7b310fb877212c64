import { encodeQuery } from '../api/filter/query.js'
import type { Context } from '../cli/context.js'
import { TtError } from '../lib/errors.js'
import { fieldsOf, predicatesOf } from './shared/options.js'

export interface ApiOptions {
  query?: string[]
  field?: string[]
}

/** As for the other commands that change nothing. */
export const usesDefaultSettings = (method: string) => method.toUpperCase() === 'GET'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** One request, as it is: the path is relative to the base URL, and the answer is shown as JSON. */
export async function run(ctx: Context, method: string, path: string, options: ApiOptions): Promise<unknown> {
  const verb = method.toUpperCase()
  if (!methods.includes(verb)) {
    throw new TtError('usage', `"${method}" is not an HTTP method.`, {
      hint: `One of ${methods.join(', ')}.`,
    })
  }
  if (!path.startsWith('/')) {
    throw new TtError('usage', `The path "${path}" does not begin with a slash.`, {
      hint: 'It is relative to the base URL: tt api GET /timesheets',
    })
  }
  const predicates = predicatesOf({ where: options.query ?? [] }, '-q')
  const fields = fieldsOf(options.field, '-f')
  const api = await ctx.api()
  const { value } = await api.raw(verb, path, {
    ...(options.query ? { query: { q: encodeQuery(predicates) } } : {}),
    ...(options.field ? { body: nest(fields) } : {}),
  })
  return value ?? null
}

/** `expense.amount=12.50` reaches into the object under `expense`. */
function nest(fields: Record<string, unknown>): Record<string, unknown> {
  const body: Record<string, unknown> = Object.create(null)
  const groups: Record<string, Record<string, unknown>> = Object.create(null)
  for (const [key, value] of Object.entries(fields)) {
    const dot = key.indexOf('.')
    if (dot < 1) body[key] = value
    else groups[key.slice(0, dot)] = { ...groups[key.slice(0, dot)], [key.slice(dot + 1)]: value }
  }
  const conflict = Object.keys(groups).find((key) => key in body)
  if (conflict === undefined) return { ...body, ...groups }
  throw new TtError('usage', `-f gives ${conflict} a value as well as fields of its own.`, {
    hint: 'Give either.',
  })
}
