import { type Predicates, parsePredicate } from '../api/query.js'
import { TtError } from '../errors.js'

/** Options that several commands share, each with the function that reads it. */
export interface WhereOptions {
  where?: string[]
}

/** The filters of `--where FIELD_MATCHER=VALUE`. Throws TtError `usage` for one that is not such, or given twice. */
export function predicatesOf({ where = [] }: WhereOptions): Predicates {
  return unique(where.map(parsePredicate), '--where')
}

/** The fields of `--field KEY=VALUE` and `-f`: text, or JSON after `:=`. Throws TtError `usage`. */
export function fieldsOf(given: readonly string[] = [], option = '--field'): Record<string, unknown> {
  return unique(
    given.map((text) => parseField(text, option)),
    option,
  )
}

function parseField(text: string, option: string): [string, unknown] {
  const [, key, typed, value] = /^([^=:]+)(:?)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) {
    throw new TtError('usage', `${option} takes KEY=VALUE, not "${text}".`, {
      hint: 'KEY=VALUE sends text; KEY:=JSON sends a number, true, false, null, a list or an object.',
    })
  }
  if (!typed) return [key, value]
  try {
    return [key, JSON.parse(value)]
  } catch (cause) {
    throw new TtError('usage', `${option} ${key}:= is not followed by JSON: ${value}`, { cause })
  }
}

function unique<Value>(pairs: [string, Value][], option: string): Record<string, Value> {
  const found: Record<string, Value> = Object.create(null)
  for (const [key, value] of pairs) {
    if (key in found) throw new TtError('usage', `${option} names ${key} twice.`)
    found[key] = value
  }
  return found
}
