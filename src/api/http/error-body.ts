import { isObject } from '../../lib/is-object.js'

/** What a service says in the body of an answer, made fit for one line of a terminal. */

/** The deepest nesting of field errors that is still read. */
const maxDepth = 5
const maxLength = 500

/**
 * The end of a sentence about a failed request: the service's own words, the title of its web page, or nothing.
 *
 * From JSON: `message`, else `error_description`, else `error`, then the messages of all fields. The errors of
 * service-api-v1.md section 7 that are "not shown" come in many shapes, and none of them is a crash.
 */
export function errorText(body: string): string {
  const page = webPage(body)
  if (page) return `, with ${page}.`
  const words = bodyText(body)
  if (!words) return '.'
  return `: ${/[.?!…]$/.test(words) ? words : `${words}.`}`
}

/** The service's own words in one line; empty where there are none, or a web page instead. */
export function bodyText(body: string): string {
  return webPage(body) ? '' : tidy(wordsIn(body))
}

/** The fields that an answer finds fault with, each once, by the names that it gives them. */
export function invalidFields(body: string): string[] {
  const fields = complaintsIn(parsed(body)).map(({ field }) => tidy(field))
  return [...new Set(fields)].filter((field) => field !== '')
}

/** Whether a body is JSON, and so may be of the service itself. */
export function isJson(body: string): boolean {
  return parsed(body) !== undefined
}

/** The code in the field `error` of a JSON object (service-api-v1.md section 7); undefined where there is none. */
export function errorCode(body: string): string | undefined {
  const value = parsed(body)
  return isObject(value) && typeof value.error === 'string' ? value.error : undefined
}

/** What came where JSON was expected, such as `a web page titled "Sign in"`. */
export function describeBody(body: string): string {
  const page = webPage(body)
  if (page) return page
  if (body.trim() === '') return 'an empty body'
  return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON'
}

/** Describes the body if it is a web page, for example of a network that requires a sign-in. */
function webPage(body: string): string | undefined {
  if (!/^\s*(<!--[\s\S]{0,2000}?-->\s*)?<(!doctype html|html|head|body)\b/i.test(body)) return undefined
  const title = tidy(/<title[^>]*>([^<]{1,200})<\/title>/i.exec(body)?.[1] ?? '')
  return title && title.length <= 80 ? `a web page titled "${title}"` : 'a web page'
}

function wordsIn(body: string): string {
  const value = parsed(body)
  if (value === undefined) return body.slice(0, 200) // Plain text: its beginning is the service's word.
  const headline = headlineIn(value)
  const said = complaintsIn(value).map(({ field, words }) => (field ? `${field} ${words}` : words))
  // A service that has put the fields into its message need not say them twice.
  const details = [...new Set(said)].filter((words) => !headline?.includes(words)).join('; ')
  return [headline, details].filter(Boolean).join(': ')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function headlineIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { message, error_description: description, error } = value
  return [message, description, error].find((text): text is string => typeof text === 'string' && text !== '')
}

/** What is wrong, and with which field; none where it is not about one. */
interface FieldError {
  field: string
  words: string
}

function complaintsIn(value: unknown): FieldError[] {
  if (!isObject(value)) return complaints(value)
  const { errors, error, message } = value
  const found = [errors, error, message]
    .filter((part) => typeof part === 'object')
    .flatMap((part) => complaints(part))
  return found.length === 0 && headlineIn(value) === undefined ? complaints(value) : found
}

/** `{end: ["is too early", "is odd"]}` as two complaints about `end`; Rails's `base` is no field. */
function complaints(value: unknown, field = '', depth = 0): FieldError[] {
  if (value === null || value === undefined || depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap((part) => complaints(part, field, depth + 1))
  if (!isObject(value)) return [{ field, words: String(value) }]
  const own = value.message ?? value.detail ?? value.title
  if (typeof own === 'string') return complaints(own, typeof value.field === 'string' ? value.field : field)
  return Object.entries(value).flatMap(([key, part]) =>
    complaints(part, key === 'base' ? field : key, depth + 1),
  )
}

/** One line without control characters, which could steer the terminal. */
function tidy(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}
