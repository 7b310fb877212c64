import type { Settings } from '../../config/settings/settings.js'
import type { Link } from '../catalog/links.js'
import { parsePattern } from '../catalog/name-pattern.js'
import { separateExcluded } from './excluded-values.js'

export type BillingSettings = Pick<Settings, 'billable' | 'rates'>

/**
 * Returns whether the time of a task link is billable. It is not with the rate `none`. Otherwise it is if it matches one
 * of the patterns of the setting `billable`, and none that is written `!pattern`. Without patterns, or with excluding ones
 * only, every link with a client or a rate is billable.
 *
 * Throws TtError `usage` for an invalid pattern.
 */
export function billableTest({ billable, rates }: BillingSettings): (link: Link | undefined) => boolean {
  const { included, excluded } = separateExcluded(billable ?? [])
  const [includedPatterns, excludedPatterns] = [included.map(parsePattern), excluded.map(parsePattern)]
  const isByDefault = included.length === 0 && (billable === undefined || excluded.length > 0)
  const rateOf = rateFinder(rates)
  return (link) => {
    const rate = rateOf(link)
    if (rate?.text === null || excludedPatterns.some((pattern) => pattern.matches(link))) return false
    if (isByDefault) return Boolean(link?.client) || rate !== undefined
    return includedPatterns.some((pattern) => pattern.matches(link))
  }
}

/** A rate of the settings with its pattern. */
export interface ConfiguredRate {
  pattern: string
  /** "95" or "95.50 EUR"; null for `none`. */
  text: string | null
}

/**
 * Returns a function that finds the rate of a task link: that of the most specific matching pattern, undefined without
 * one. The same rate is the same object. Throws TtError `usage` for an invalid pattern.
 */
export function rateFinder(rates: Settings['rates']): (link: Link | undefined) => ConfiguredRate | undefined {
  const texts = Object.entries(rates)
  return valueFinder(Object.fromEntries(texts.map(([pattern, text]) => [pattern, { pattern, text }])))
}

/**
 * Returns a function that finds the value of a task link by patterns of client/project/task: that of the most specific
 * matching one, undefined without one. Throws TtError `usage` for an invalid pattern.
 */
export function valueFinder<Value>(
  values: Readonly<Record<string, Value>>,
): (link: Link | undefined) => Value | undefined {
  const parsed = Object.entries(values).map(([pattern, value]) => ({ pattern: parsePattern(pattern), value }))
  parsed.sort((a, b) => b.pattern.specificity - a.pattern.specificity)
  return (link) => parsed.find(({ pattern }) => pattern.matches(link))?.value
}
