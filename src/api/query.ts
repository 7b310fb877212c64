import { TtError } from '../errors.js'

/** Ransack predicates: a field name with a matcher, and what it is compared with (service-api-v1.md section 4). */
export type Predicates = Record<string, string | number | boolean | null>

const matchers = ['eq', 'gteq', 'lt', 'cont'] as const
export type Matcher = (typeof matchers)[number]

/** One predicate, to be spread together with others: they combine. */
export function predicate(field: string, matcher: Matcher, value: Predicates[string]): Predicates {
  return { [`${field}_${matcher}`]: value }
}

/** The value of the query parameter `q`: a JSON object. */
export function encodeQuery(predicates: Predicates): string {
  return JSON.stringify(predicates)
}

/**
 * Reads `FIELD_MATCHER=VALUE` as `--where` and `tt api -q` take it, such as `notes_cont=review`. The value stays
 * the text that was typed. Throws TtError `usage` that names the part which cannot be read.
 */
export function parsePredicate(text: string): [key: string, value: string] {
  const at = text.indexOf('=')
  if (at === -1) throw unreadable(`"${text}" has no "=".`)
  const key = text.slice(0, at).trim()
  if (!matchers.some((matcher) => key.endsWith(`_${matcher}`)))
    throw unreadable(`"${key}" ends in no known matcher.`)
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.]*_[a-z]+$/u.test(key)) throw unreadable(`"${key}" names no field.`)
  const value = text.slice(at + 1)
  if (comparesTime.test(key) && !dayOrTime.test(value)) {
    throw unreadable(
      `"${value}" is neither a day nor a time, as ${key} needs one.`,
      'time_start_gteq=2024-05-01',
    )
  }
  return [key, value]
}

/** The fields of the document and the design that are days or times, with the matchers that compare. */
const comparesTime = /^(time_start|time_end|spent_on|starts_on|ends_on|created_at|updated_at)_(eq|gteq|lt)$/
/** A service may drop the whole condition where it cannot read the value, and answer too much: it is never asked. */
const dayOrTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

function unreadable(message: string, example = 'notes_cont=review'): TtError {
  const endings = matchers.map((matcher) => `_${matcher}`)
  return new TtError('usage', message, {
    hint: `Write FIELD_MATCHER=VALUE, such as ${example}. The matchers are ${endings.join(', ')}.`,
  })
}
