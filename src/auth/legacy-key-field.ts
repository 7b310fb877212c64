import { TtError } from '../lib/errors.js'

const likelyNames = ['api_key', 'key', 'token', 'access_token', 'auth_token']

/**
 * Finds the key in the answer of the legacy key endpoint, whose field service-api-v1.md section 5 does not name.
 *
 * It is the string under the first likely name, at the top or one level below, otherwise the only string that can be
 * a bearer token (RFC 6750 section 2.1). Throws TtError `rejected` with the names of the fields, never their values.
 */
export function findKey(value: unknown, service: string): string {
  const body = Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value
  const fields = fieldsOf(body)
  for (const inner of [false, true]) {
    for (const likely of likelyNames) {
      const found = fields.find(({ path }) => path.at(-1) === likely && path.length === (inner ? 2 : 1))
      if (found && /^[\x21-\x7e]+$/.test(found.text)) return found.text
    }
  }
  const tokens = fields.filter(({ text }) => /^[\w\-.~+/]+=*$/.test(text))
  const [only] = tokens
  if (only && tokens.length === 1) return only.text
  throw noKey(body, service)
}

interface Field {
  path: string[]
  text: string
}

/** The strings of the body, those one level below included; a bare string has no name. */
function fieldsOf(body: unknown, path: string[] = []): Field[] {
  if (typeof body === 'string') return [{ path, text: body }]
  if (typeof body !== 'object' || body === null || path.length > 1) return []
  return Object.entries(body).flatMap(([name, part]) => fieldsOf(part, [...path, name]))
}

function noKey(body: unknown, service: string): TtError {
  const isRecord = typeof body === 'object' && body !== null && !Array.isArray(body)
  const names = isRecord ? namesIn(body).slice(0, 20).join(', ') : ''
  return new TtError(
    'rejected',
    `The answer of ${service} has no field that is plainly the key${names ? ` (fields: ${names})` : ''}.`,
    { hint: 'Use `tt login` without --key, or ask who runs the service.' },
  )
}

/** The names as one line of a terminal: those inside with their parent, none of them long. */
function namesIn(body: object, parent = ''): string[] {
  return Object.entries(body).flatMap(([name, part]) => {
    const path = parent + name.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 40)
    const nested = parent === '' && typeof part === 'object' && part !== null && !Array.isArray(part)
    return nested ? namesIn(part, `${path}.`) : [path]
  })
}
