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
export function saidBy(body: string): string {
  const page = webPage(body)
  if (page) return `, with ${page}.`
  const words = tidy(wordsIn(body))
  if (!words) return '.'
  return `: ${/[.?!…]$/.test(words) ? words : `${words}.`}`
}

/** What came where JSON was expected, such as `a web page titled "Sign in"`. */
export function describeBody(body: string): string {
  const page = webPage(body)
  if (page) return page
  if (body.trim() === '') return 'an empty body'
  return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON'
}

function webPage(body: string): string | undefined {
  if (!/^\s*(<!--[\s\S]{0,2000}?-->\s*)?<(!doctype html|html|head|body)\b/i.test(body)) return undefined
  const title = tidy(/<title[^>]*>([^<]{1,200})<\/title>/i.exec(body)?.[1] ?? '')
  return title && title.length <= 80 ? `a web page titled "${title}"` : 'a web page'
}

function wordsIn(body: string): string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return body.slice(0, 200) // Plain text: its beginning is the service's word.
  }
  if (!isObject(value)) return messagesIn(value).join('; ')
  const { message, error_description: description, error, errors } = value
  const headline = [message, description, error].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
  const details = [errors, error, message]
    .filter((part) => typeof part === 'object')
    .flatMap((part) => messagesIn(part))
  const said = headline === undefined && details.length === 0 ? messagesIn(value) : details
  // A service that has put the fields into its message need not say them twice.
  const fields = [...new Set(said)].filter((words) => !headline?.includes(words)).join('; ')
  return [headline, fields].filter(Boolean).join(': ')
}

/** `{end: ["is too early", "is odd"]}` as "end is too early", "end is odd"; Rails's `base` is no field. */
function messagesIn(value: unknown, field = '', depth = 0): string[] {
  if (value === null || value === undefined || depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap((part) => messagesIn(part, field, depth + 1))
  if (!isObject(value)) return [field ? `${field} ${value}` : String(value)]
  const own = value.message ?? value.detail ?? value.title
  if (typeof own === 'string') return messagesIn(own, typeof value.field === 'string' ? value.field : field)
  return Object.entries(value).flatMap(([key, part]) =>
    messagesIn(part, key === 'base' ? field : key, depth + 1),
  )
}

/** One line without control characters, which could steer the terminal. */
function tidy(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
