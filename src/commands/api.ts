import { encodeQuery } from '../api-client/filter/query.js'
import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/service.js'

type ApiInput = Input<typeof commands.api>

/** GET requests change nothing, as other read-only commands. */
export const allowsUnreadableSettings = ({ args }: ApiInput) => args.method.toUpperCase() === 'GET'

/** Sends one request to a path relative to the base URL, and returns the response as JSON. */
export async function run(ctx: Context, { args: { method, path }, options }: ApiInput): Promise<unknown> {
  if (!path.startsWith('/')) {
    throw new TtError('usage', `The path "${path}" does not begin with a slash.`, {
      hint: 'It is relative to the base URL: tt api GET /timesheets',
    })
  }
  const api = await ctx.api()
  const { value } = await api.raw(method, path, {
    ...(options.query ? { query: { q: encodeQuery(options.query) } } : {}),
    ...(options.field ? { body: nest(options.field) } : {}),
  })
  return value ?? null
}

/** Turns keys with a dot into nested objects: `expense.amount=12.50`. Throws TtError `usage` for contradictions. */
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
  throw new TtError('usage', `-f sets both ${conflict} and fields in it.`, {
    hint: 'Set one of them.',
  })
}
