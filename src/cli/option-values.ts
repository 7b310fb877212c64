import type { Predicates } from '../api-client/filter/query.js'
import type { Settings } from '../config/settings/settings.js'
import type { Day } from '../lib/calendar/day.js'
import type { Period } from '../lib/calendar/period.js'
import type { Rounding } from '../lib/calendar/rounding.js'
import { TtError } from '../lib/errors.js'
import { listText } from '../lib/text/words.js'
import type { TypedAmount } from '../lib/typed-amount.js'

// Parsers of typed values, for declarations of options and arguments. Each loads what it needs when the option is given.

/** The context in which a value is parsed. */
export interface ValueSource {
  /** The option or argument in messages, such as `--limit`. */
  name: string
  /** Whether the command has the option `--output`. */
  canWriteFile: boolean
  now: Date
  settings(): Promise<Settings>
  /** Returns the end of the last finished entry. Throws TtError `not_found` without one. */
  lastEnd(): Promise<Date>
}

/** Returns the error of a parser with the name of the option or argument. */
export function naming(error: unknown, name: string): unknown {
  if (!(error instanceof TtError) || error.code !== 'usage') return error
  if (error.message.startsWith(name) || error.message.includes(` ${name}.`)) return error
  return new TtError('usage', `${name}: ${error.message}`, error)
}

/** Returns the value of a typed text, or of a list of them. Throws TtError `usage`. */
export type ValueParser = (typed: never, source: ValueSource) => unknown

/** A parser of one of several words, or of a list of them. */
export interface Choices {
  choices: readonly string[]
  isList?: boolean
}

/** Parses one of the words. */
export function choice<const Choice extends string>(choices: readonly Choice[]) {
  const parse = (typed: string, { name }: ValueSource): Promise<Choice> => chooseOne(typed, name, choices)
  return Object.assign(parse, { choices })
}

/** Returns the word that was typed, in any case. Throws TtError `usage` for other text. */
export async function chooseOne<Choice extends string>(
  typed: string,
  name: string,
  choices: readonly Choice[],
): Promise<Choice> {
  const found = choices.find((each) => each.toLowerCase() === typed.toLowerCase())
  if (found !== undefined) return found
  const { nearestNames, suggestionText } = await import('../lib/text/nearest-names.js')
  const candidates = nearestNames(typed, choices)
  const problem = `${name}: "${typed}" is not one of ${listText(choices)}.`
  throw new TtError('usage', `${problem}${suggestionText(candidates)}`, { candidates })
}

/** Parses groups, separated by commas. */
export function groups<const Word extends string>(known: readonly Word[]) {
  const parse = (typed: string, { name }: ValueSource): Word[] => {
    const words = typed.split(',').map((word) => word.trim().toLowerCase())
    return words.map((word, index) => {
      const found = known.find((each) => each === word)
      if (found !== undefined && words.indexOf(word) === index) return found
      const problem = found === undefined ? `Unknown group "${word}"` : `Repeated group "${word}"`
      throw new TtError('usage', `${problem} in ${name}.`, {
        hint: `Valid groups: ${known.join(', ')}. Separate several with commas.`,
      })
    })
  }
  return Object.assign(parse, { choices: known, isList: true })
}

interface Limits {
  least?: number
  most?: number
  hint?: string
}

/** Parses a whole number of at most nine digits. */
export function wholeNumber({ least = 0, most, hint }: Limits = {}) {
  return (typed: string, { name }: ValueSource): number => {
    if (/^\d{1,9}$/.test(typed) && Number(typed) >= least && Number(typed) <= (most ?? Infinity))
      return Number(typed)
    throw new TtError('usage', `${name} takes a whole number${limitText(least, most)}, not "${typed}".`, {
      hint,
    })
  }
}

/** Parses seconds, at most 99,999, with up to three decimals. Returns milliseconds. */
export function seconds({ least = 0, most }: Limits = {}) {
  return (typed: string, { name }: ValueSource): number => {
    if (/^\d{1,5}(\.\d{1,3})?$/.test(typed) && Number(typed) >= least && Number(typed) <= (most ?? Infinity))
      return Math.round(Number(typed) * 1000)
    throw new TtError('usage', `${name} takes seconds${limitText(least, most)}, not "${typed}".`)
  }
}

/** Returns ", 1 or more" or " from 1 to 100". */
function limitText(least: number, most: number | undefined): string {
  return most === undefined ? `, ${least} or more` : ` from ${least} to ${most}`
}

/** Parses a TCP port. */
export function port(typed: string, { name }: ValueSource): number {
  if (/^\d{1,5}$/.test(typed) && Number(typed) <= 65535) return Number(typed)
  throw new TtError('usage', `${name}: "${typed}" is not a port.`, {
    hint: 'A port is a number from 0 (any free one) to 65535.',
  })
}

/** Parses a single day, unlike "may". */
export async function day(typed: string, { now }: ValueSource): Promise<Day> {
  const { parseDate } = await import('../lib/calendar/period.js')
  const { first, last } = parseDate(typed, now)
  if (first === last) return first
  throw new TtError('usage', `"${typed}" is more than one day.`, {
    hint: 'Give one day, such as 2024-05-01.',
  })
}

/** Parses a date, and returns its first day. */
export async function firstDay(typed: string, source: ValueSource): Promise<Day> {
  return (await parseDays(typed, source)).first
}

/** Parses a date, and returns its last day. */
export async function lastDay(typed: string, source: ValueSource): Promise<Day> {
  return (await parseDays(typed, source)).last
}

async function parseDays(typed: string, { now, settings }: ValueSource): Promise<Period> {
  const { parseDate } = await import('../lib/calendar/period.js')
  return parseDate(typed, now, (await settings()).weekStart)
}

/** A period that was typed, if any, and the one in its place. */
export interface ChosenPeriod {
  typed: Partial<Period> | undefined
  byDefault: Partial<Period>
}

/** Parses the words of a period. */
export function periodOr(byDefault: string) {
  return async (words: readonly string[], source: ValueSource): Promise<ChosenPeriod> => ({
    typed: words.length > 0 ? await period(words.join(' '), source) : undefined,
    byDefault: await period(byDefault, source),
  })
}

/** Parses a period. */
export async function period(typed: string, source: ValueSource): Promise<Partial<Period>> {
  const { parsePeriod } = await import('../lib/calendar/period.js')
  const { weekStart } = await source.settings()
  try {
    return parsePeriod(typed, source.now, weekStart)
  } catch (error) {
    const [file] = /(^| )-$|[^ ]+\.(csv|html?|ics|json|md|pdf)$/i.exec(typed) ?? []
    if (file === undefined || !source.canWriteFile || !(error instanceof TtError)) throw error
    const hint = file.trim() === '-' ? 'Omit "-".' : `Use \`-o ${file}\` to write a file.`
    throw new TtError(error.code, error.message, { hint })
  }
}

/** Parses a time; `last` is the end of the last finished entry. */
export async function timeOrLast(typed: string, { now, lastEnd }: ValueSource): Promise<Date> {
  const { parseTime } = await import('../lib/calendar/time.js')
  return typed.trim().toLowerCase() === 'last' ? lastEnd() : parseTime(typed, now)
}

/** Returns a time: that of day on the given day, unless it has a day of its own. Throws TtError `usage`. */
export type TimeOn = (day: Day) => Date

/** Parses a time whose day follows from an entry. */
export async function timeOn(typed: string, { name, now }: ValueSource): Promise<TimeOn> {
  const { parseTime } = await import('../lib/calendar/time.js')
  return (day) => {
    try {
      return parseTime(typed, now, day)
    } catch (error) {
      throw naming(error, name)
    }
  }
}

/** Parses times like `timeOn`. */
export function timesOn(typed: readonly string[], source: ValueSource): Promise<TimeOn[]> {
  return Promise.all(typed.map((text) => timeOn(text, source)))
}

/** Returns an amount, whose currency another option may name. Throws TtError `usage`. */
export type AmountIn = (currency: string | undefined, currencyName: string) => TypedAmount

/** Parses an amount. */
export async function amount(typed: string, { name }: ValueSource): Promise<AmountIn> {
  const { parseAmount } = await import('../lib/typed-amount.js')
  return (...currency) => {
    try {
      return parseAmount(typed, ...currency)
    } catch (error) {
      throw naming(error, name)
    }
  }
}

/** Parses the words of an amount, if any. */
export async function amountOfWords(
  words: readonly string[],
  source: ValueSource,
): Promise<AmountIn | undefined> {
  return words.length > 0 ? amount(words.join(' '), source) : undefined
}

/** Parses the code or symbol of a currency. */
export async function currency(typed: string): Promise<string> {
  const { parseCurrency } = await import('../lib/typed-amount.js')
  return parseCurrency(typed)
}

/** Parses a duration, and returns seconds. */
export async function duration(typed: string): Promise<number> {
  const { parseDuration } = await import('../lib/calendar/duration.js')
  return parseDuration(typed)
}

/** Returns a parser that returns null for a word, such as "none". */
export function wordOr<Value>(
  word: string,
  parse: (typed: string, source: ValueSource) => Value | Promise<Value>,
) {
  return (typed: string, source: ValueSource) => (typed === word ? null : parse(typed, source))
}

/** Parses a rounding; null for "none". */
export async function rounding(typed: string): Promise<Rounding | null> {
  const { readRounding } = await import('../config/settings/setting-values.js')
  return readRounding(typed)
}

/** Parses filters of the form FIELD_MATCHER=VALUE. */
export async function conditions(typed: readonly string[], { name }: ValueSource): Promise<Predicates> {
  const { parsePredicate } = await import('../api-client/filter/query.js')
  return unique(typed.map(parsePredicate), name)
}

/** Parses fields of the form KEY=VALUE: text, or JSON after `:=`. */
export function fields(typed: readonly string[], { name }: ValueSource): Record<string, unknown> {
  return unique(
    typed.map((text) => parseField(text, name)),
    name,
  )
}

function parseField(text: string, name: string): [string, unknown] {
  const [, key, isJson, value] = /^([^=:]+)(:?)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) {
    throw new TtError('usage', `${name} takes KEY=VALUE, not "${text}".`, {
      hint: 'KEY=VALUE sends text; KEY:=JSON sends a number, true, false, null, a list or an object.',
    })
  }
  if (!isJson) return [key, value]
  try {
    return [key, JSON.parse(value)]
  } catch (cause) {
    throw new TtError('usage', `${name} ${key}:= is not followed by JSON: ${value}`, { cause })
  }
}

function unique<Value>(pairs: readonly [string, Value][], name: string): Record<string, Value> {
  const values: Record<string, Value> = Object.create(null)
  for (const [key, value] of pairs) {
    if (key in values) throw new TtError('usage', `${name} sets ${key} twice.`)
    values[key] = value
  }
  return values
}
