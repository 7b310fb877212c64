import { isObject } from '../../lib/is-object.js'

/** Reads the bodies of error responses, as text for one line of a terminal. */

/** The deepest nesting at which field errors are read. */
const maxDepth = 5
const maxLength = 500

/**
 * Returns the end of a sentence about a failed request: the error text of the service, the title of a web page, or only a
 * full stop.
 *
 * The text of JSON is `message`, or else `error_description`, or else `error`, followed by the messages of all fields.
 * service-api-v1.md section 7 does not show these errors, so every form is accepted.
 */
export function errorText(body: string): string {
  const page = describeWebPage(body)
  if (page) return `, with ${page}.`
  const text = bodyText(body)
  if (!text) return '.'
  return `: ${/[.?!…]$/.test(text) ? text : `${text}.`}`
}

/** Returns the error text of the service in one line; empty if there is none, and for a web page. */
export function bodyText(body: string): string {
  return describeWebPage(body) ? '' : toLine(rawText(body))
}

/** Returns the names of the invalid fields, each once, as the service writes them. */
export function invalidFields(body: string): string[] {
  const fields = errorsOf(parseJson(body)).map(({ field }) => toLine(field))
  return [...new Set(fields)].filter((field) => field !== '')
}

/** Whether a body is JSON, and therefore probably from the service instead of a proxy. */
export function isJson(body: string): boolean {
  return parseJson(body) !== undefined
}

/** Returns the code in the field `error` of a JSON object (service-api-v1.md section 7); undefined if there is none. */
export function errorCode(body: string): string | undefined {
  const value = parseJson(body)
  return isObject(value) && typeof value.error === 'string' ? value.error : undefined
}

/** Describes a body that should have been JSON, such as `a web page titled "Sign in"`. */
export function describeBody(body: string): string {
  const page = describeWebPage(body)
  if (page) return page
  if (body.trim() === '') return 'an empty body'
  return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON'
}

/** Describes a web page, such as that of a network which requires a sign-in; undefined for other bodies. */
function describeWebPage(body: string): string | undefined {
  if (!/^\s*(<!--[\s\S]{0,2000}?-->\s*)?<(!doctype html|html|head|body)\b/i.test(body)) return undefined
  const title = toLine(/<title[^>]*>([^<]{1,200})<\/title>/i.exec(body)?.[1] ?? '')
  return title && title.length <= 80 ? `a web page titled "${title}"` : 'a web page'
}

function rawText(body: string): string {
  const value = parseJson(body)
  if (value === undefined) return body.slice(0, 200) // Plain text usually begins with the error.
  const summary = summaryOf(value)
  const messages = errorsOf(value).map(({ field, message }) => (field ? `${field} ${message}` : message))
  // The summary of some services repeats the messages of the fields.
  const details = [...new Set(messages)].filter((message) => !summary?.includes(message)).join('; ')
  return [details ? summary?.replace(/\.$/, '') : summary, details].filter(Boolean).join(': ')
}

/** Returns the value of JSON; undefined for other text. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function summaryOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { message, error_description: description, error } = value
  return [message, description, error].find((text): text is string => typeof text === 'string' && text !== '')
}

/** An error of one field; `field` is empty for an error of the whole record. */
interface FieldError {
  field: string
  message: string
}

function errorsOf(value: unknown): FieldError[] {
  if (!isObject(value)) return fieldErrors(value)
  const { errors, error, message } = value
  const found = [errors, error, message]
    .filter((part) => typeof part === 'object')
    .flatMap((part) => fieldErrors(part))
  return found.length === 0 && summaryOf(value) === undefined ? fieldErrors(value) : found
}

/** Returns `{end: ["is too early", "is odd"]}` as two errors of `end`. `base` in Rails means the whole record. */
function fieldErrors(value: unknown, field = '', depth = 0): FieldError[] {
  if (value === null || value === undefined || depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap((part) => fieldErrors(part, field, depth + 1))
  if (!isObject(value)) return [{ field, message: String(value) }]
  const text = value.message ?? value.detail ?? value.title
  if (typeof text === 'string')
    return fieldErrors(text, typeof value.field === 'string' ? value.field : field)
  return Object.entries(value).flatMap(([key, part]) =>
    fieldErrors(part, key === 'base' ? field : key, depth + 1),
  )
}

/** Returns one line without control characters, which could change the terminal. */
function toLine(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}
