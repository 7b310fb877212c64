import { type Predicates, parsePredicate } from '../../../api-client/filter/query.js'
import type { Day } from '../../../calendar/day.js'
import { type Period, parseDate } from '../../../calendar/period.js'
import type { Settings } from '../../../config/settings/settings.js'
import { TtError } from '../../../lib/errors.js'
import type { PeriodOptions, WhereOptions } from '../../../program/options/shared-options.js'

/** Parses filters of the form FIELD_MATCHER=VALUE. Throws TtError `usage` for an invalid or repeated one. */
export function predicatesOf({ where = [] }: WhereOptions, option = '--where'): Predicates {
  return unique(where.map(parsePredicate), option)
}

/** Parses `--since` and `--until`. Throws TtError `usage` when the first day is after the last. */
export function periodOf(
  { since, until }: PeriodOptions,
  now: Date,
  { weekStart }: Pick<Settings, 'weekStart'>,
): Partial<Period> {
  const first = since === undefined ? undefined : parseDate(since, now, weekStart).first
  const last = until === undefined ? undefined : parseDate(until, now, weekStart).last
  if (first !== undefined && last !== undefined && first > last) {
    throw new TtError('usage', `--since (${first}) is after --until (${last}).`, {
      hint: 'Use the earlier day for --since.',
    })
  }
  return { ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }
}

/** Parses a single day. Throws TtError `usage` for several days, such as "may". */
export function parseDay(text: string, now: Date): Day {
  const { first, last } = parseDate(text, now)
  if (first === last) return first
  throw new TtError('usage', `"${text}" is more than one day.`, { hint: 'Give one day, such as 2024-05-01.' })
}

/** Parses `--by`: dimensions separated by commas. Throws TtError `usage` for an unknown or repeated one. */
export function dimensionsOf<Word extends string>(text: string, dimensions: readonly Word[]): Word[] {
  const words = text.split(',').map((word) => word.trim().toLowerCase())
  return words.map((word, index) => {
    const dimension = dimensions.find((name) => name === word)
    if (dimension !== undefined && words.indexOf(word) === index) return dimension
    const problem = dimension === undefined ? `Unknown group "${word}"` : `Repeated group "${word}"`
    throw new TtError('usage', `${problem} in --by.`, {
      hint: `Valid groups: ${dimensions.join(', ')}. Separate several with commas.`,
    })
  })
}

/** Parses `--field KEY=VALUE` and `-f`: text, or JSON after `:=`. Throws TtError `usage`. */
export function fieldsOf(pairs: readonly string[] = [], option = '--field'): Record<string, unknown> {
  return unique(
    pairs.map((text) => parseField(text, option)),
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
  const values: Record<string, Value> = Object.create(null)
  for (const [key, value] of pairs) {
    if (key in values) throw new TtError('usage', `${option} sets ${key} twice.`)
    values[key] = value
  }
  return values
}
