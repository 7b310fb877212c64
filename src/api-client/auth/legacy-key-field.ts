import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'

const likelyNames = ['api_key', 'key', 'token', 'access_token', 'auth_token']

/**
 * Finds the key in the response of the legacy key endpoint, whose field service-api-v1.md section 5 does not name.
 *
 * It is the string under the first likely name, at the top or one level below, otherwise the only string that can be
 * a bearer token (RFC 6750 section 2.1). Throws TtError `rejected` with the names of the fields, never their values.
 */
export function findKey(value: unknown, service: string): string {
  const body = Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value
  const fields = stringFields(body)
  for (const depth of [1, 2]) {
    for (const name of likelyNames) {
      const field = fields.find(({ path }) => path.at(-1) === name && path.length === depth)
      if (field && /^[\x21-\x7e]+$/.test(field.text)) return field.text
    }
  }
  const tokens = fields.filter(({ text }) => /^[\w\-.~+/]+=*$/.test(text))
  const [token] = tokens
  if (token && tokens.length === 1) return token.text
  throw missingKeyError(body, service)
}

/** A string in a response. */
interface Field {
  /** The names of its field and of the fields around it, outermost first. */
  path: string[]
  text: string
}

/** Returns the strings at the top and one level below. A body that is a string has an empty path. */
function stringFields(body: unknown, path: string[] = []): Field[] {
  if (typeof body === 'string') return [{ path, text: body }]
  if (typeof body !== 'object' || body === null || path.length > 1) return []
  return Object.entries(body).flatMap(([name, part]) => stringFields(part, [...path, name]))
}

function missingKeyError(body: unknown, service: string): TtError {
  const names = isObject(body) ? fieldNames(body).slice(0, 20).join(', ') : ''
  const fields = names ? ` (fields: ${names})` : ''
  return new TtError('rejected', `No field in the response of ${service} is clearly the key${fields}.`, {
    hint: 'Ask the operator of the service.',
    nextStep: { action: 'sign_in_without_key' },
  })
}

/** Returns the field names, shortened and without control characters; those of nested objects follow their parent's. */
function fieldNames(body: object, prefix = ''): string[] {
  return Object.entries(body).flatMap(([name, part]) => {
    const path = prefix + name.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, 40)
    return prefix === '' && isObject(part) ? fieldNames(part, `${path}.`) : [path]
  })
}
